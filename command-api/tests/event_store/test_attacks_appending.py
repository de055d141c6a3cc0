"""Hostile appends and wrong clocks leave no gaps and no impossible times."""

import asyncio
import contextlib
import random
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from eventsourcing.persistence import StoredEvent
from psycopg.types.range import TimestamptzRange

from command_api.event_store import appender as appenders
from command_api.event_store import statements
from command_api.event_store.appender import Appender, write_page
from command_api.event_store.log import EventLog
from command_api.event_store.records import AppendRequest, ClockJumped
from ops.base.database.connection import connect
from ops.base.database.prepared import PreparedSession
from ops.launcher.backups.acceptance import accept_moment
from ops.testing.conditions import wait_until
from ops.testing.postgres import Database
from ops.testing.soak import soak_count

_NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)

# Whether positions and versions are dense, and moments never decrease or lie in the future.
_SOUND = """
SELECT
  (SELECT count(*) = coalesce(max(notification_id), 0) FROM log.events),
  NOT EXISTS (
    SELECT FROM log.events GROUP BY originator_id
    HAVING count(*) <> max(originator_version) + 1 - min(originator_version)
      OR min(originator_version) NOT IN (0, 1)
  ),
  NOT EXISTS (SELECT FROM (
    SELECT moment < lag(moment) OVER (ORDER BY notification_id) AS goes_back FROM log.events
  ) AS moments WHERE goes_back),
  NOT EXISTS (SELECT FROM log.events WHERE moment > clock_timestamp())
"""


def hostile_call(source: random.Random) -> list[Any]:
    """Return arguments of `log.append`, mostly invalid."""
    commands = source.randrange(7)
    values = source.randrange(5)
    known = source.choice([0, 0, 1, 2])
    events = commands if source.random() < 0.8 else source.randrange(5)

    def some(count: int, *values: Any) -> list[Any]:
        return [
            source.choice(values) for _ in range(count if source.random() < 0.95 else source.randrange(5))
        ]

    numbers = list(range(1, commands + 1))
    return [
        source.choice([None, None, None, "epoch", "infinity"]),
        some(commands, None, uuid.UUID(int=source.randrange(9)), uuid.uuid4()),
        some(commands, None, None, "fingerprint"),
        some(commands, None, None, "decision"),
        source.choice([numbers, numbers, numbers, numbers[::-1], [-1] * commands, [2**31 - 1] * commands]),
        some(events, "horse:1", "horse:2", f"horse:{source.randrange(99)}", None, "", "x" * 300),
        some(events, 1, 1, 2, 3, 0, -1, 7, 2**62, None),
        some(events, "horse.registered", None, "", "x" * 300),
        some(events, b"{}", None, b"", b"\x00\xff"),
        some(commands, None, None, None, "", "key"),
        some(values, 1, 2, 7, -1, None),
        some(values, "release", "claim", "share", "avoid", None, "x"),
        some(values, b"value", b"other", b"", None),
        some(values, None, TimestamptzRange(), TimestamptzRange(_NOON, None)),
        some(known, 1, 2, 7, -1, None),
        some(known, "horse:1", "horse:9", "", None),
        some(known, 0, 1, 2, -1, None),
    ]


async def attack(database: Database, source: random.Random, *, calls: int) -> int:
    """Call `log.append` with invalid arguments and old snapshots; return the number of successes."""
    successes = 0
    async with await connect(database.command, autocommit=True) as connection:
        for _ in range(calls):
            isolation = source.choice(["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
            with contextlib.suppress(psycopg.Error):
                async with connection.transaction(force_rollback=source.random() < 0.1):
                    await connection.execute(f"SET TRANSACTION ISOLATION LEVEL {isolation}")
                    if source.random() < 0.5:
                        await connection.execute(statements.HEAD)
                        await asyncio.sleep(source.random() / 100)
                    for _ in range(source.choice([1, 1, 2])):
                        cursor = psycopg.AsyncRawCursor(connection)
                        await cursor.execute(statements.APPEND, hostile_call(source), binary=True)
                successes += 1
    return successes


async def try_to_spoil(database: Database, *, calls: int) -> None:
    """Attack over four connections while other commands append."""
    attacks = [attack(database, random.Random(side), calls=calls) for side in range(4)]
    async with EventLog.open(database.command) as log:

        async def append(number: int) -> None:
            for version in range(1, 1 + calls // 4):
                event = StoredEvent(f"trailer:{number}", version, "trailer.registered", b"{}")
                await log.append(AppendRequest(uuid.uuid4(), (event,)))

        successes = await asyncio.gather(*attacks, *(append(number) for number in range(4)))
    with psycopg.connect(database.owner) as connection:
        assert connection.execute(_SOUND).fetchone() == (True, True, True, True)
        ((events,),) = connection.execute("SELECT count(*) FROM log.events").fetchall()
    went_through = sum(filter(None, successes))
    print(f"{4 * calls} hostile transactions, {went_through} committed: {events} events")
    assert went_through


async def test_hostile_appends_leave_no_gap(database: Database) -> None:
    await try_to_spoil(database, calls=150)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_many_hostile_appends_leave_no_gap(database: Database) -> None:
    await try_to_spoil(database, calls=soak_count(10_000))


class Clock:
    """The appender's clock."""

    def __init__(self) -> None:
        self.off = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.off


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def appender(database: Database, clock: Clock) -> AsyncIterator[Appender]:
    appender = Appender(database.command, patience=1000, clock=clock)
    async with appender.running():
        yield appender


def reports_a_jump(appender: Appender) -> bool:
    return appender.clock_jumped is not None


def new_append() -> AppendRequest:
    return AppendRequest(uuid.uuid4(), (StoredEvent(f"horse:{uuid.uuid4()}", 1, "horse.registered", b"{}"),))


def moments(database: Database) -> list[datetime]:
    with psycopg.connect(database.owner) as connection:
        rows = connection.execute("SELECT moment FROM log.events ORDER BY notification_id").fetchall()
    return [moment for (moment,) in rows]


def move_last_moment(database: Database, interval: timedelta) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("UPDATE log.events SET moment = clock_timestamp() + %s", [interval])


@pytest.mark.parametrize("off", [timedelta(minutes=6), -timedelta(minutes=6), timedelta(days=3650)])
async def test_appends_are_refused_while_the_clocks_differ(
    appender: Appender, clock: Clock, database: Database, off: timedelta
) -> None:
    await appender.append(new_append())
    clock.off = off
    async with asyncio.timeout(60):  # at once, not after the time limit
        appending = [appender.append(new_append()) for _ in range(9)]
        outcomes = await asyncio.gather(*appending, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {ClockJumped}
    assert reports_a_jump(appender)
    assert len(moments(database)) == 1

    clock.off = timedelta(minutes=4)
    await appender.append(new_append())
    assert not reports_a_jump(appender)
    assert len(moments(database)) == 2


async def test_log_with_a_future_moment_refuses_appends_until_an_operator_accepts_it(
    appender: Appender, database: Database
) -> None:
    await appender.append(new_append())
    move_last_moment(database, timedelta(days=3650))
    with pytest.raises(ClockJumped, match="the log's last moment is"):
        await appender.append(new_append())

    accept_moment(database.owner)
    await appender.append(new_append())
    first, second = moments(database)
    assert first == second

    move_last_moment(database, timedelta(days=3651))  # not the accepted moment
    with pytest.raises(ClockJumped):
        await appender.append(new_append())


async def test_moments_do_not_decrease_if_the_clock_is_set_back(
    appender: Appender, database: Database
) -> None:
    await appender.append(new_append())
    move_last_moment(database, timedelta(minutes=4))
    await appender.append(new_append())
    first, second = moments(database)
    assert first == second


async def test_clock_jump_is_detected_without_appends(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appenders, "CHECK_SECONDS", 0.05)
    clock.off = timedelta(hours=1)
    appender = Appender(database.command, clock=clock)
    async with asyncio.timeout(60), appender.running():
        while not reports_a_jump(appender):  # noqa: ASYNC110 - as readiness checks do
            await asyncio.sleep(0.05)
        clock.off = timedelta()
        while reports_a_jump(appender):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert moments(database) == []


async def test_append_error_is_reported_until_a_write_succeeds(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appenders, "CHECK_SECONDS", 0.05)
    writes = [psycopg.errors.DiskFull(), None]

    async def write(session: PreparedSession) -> None:
        if error := writes.pop(0):
            raise error
        await write_page(session)

    monkeypatch.setattr(appenders, "write_page", write)
    appender = Appender(database.command)
    appender.error = "DiskFull"
    async with asyncio.timeout(60), appender.running():
        await wait_until(lambda: appender.error is None)
    assert writes == []
    assert moments(database) == []
