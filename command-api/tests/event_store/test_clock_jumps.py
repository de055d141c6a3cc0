"""A time that cannot be is not recorded: it would drag every later event along, for ever."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from eventsourcing.persistence import StoredEvent

from command_api.event_store import appender as appenders
from command_api.event_store.appender import Appender
from command_api.event_store.records import Append, ClockJumped
from ops.launcher.backups.accepting import accept_moment
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration


class Clock:
    """What the appender takes the time for."""

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


def tells_of_a_jump(appender: Appender) -> bool:
    return appender.clock_jumped is not None


def new_append() -> Append:
    return Append(uuid.uuid4(), (StoredEvent(f"horse:{uuid.uuid4()}", 1, "horse.registered", b"{}"),))


def moments(database: Database) -> list[datetime]:
    with psycopg.connect(database.owner) as connection:
        rows = connection.execute("SELECT moment FROM log.events ORDER BY notification_id").fetchall()
    return [moment for (moment,) in rows]


def move_last_moment(database: Database, interval: timedelta) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("UPDATE log.events SET moment = clock_timestamp() + %s", [interval])


@pytest.mark.parametrize("off", [timedelta(minutes=6), -timedelta(minutes=6), timedelta(days=3650)])
async def test_nothing_is_appended_while_the_databases_clock_and_ours_disagree(
    appender: Appender, clock: Clock, database: Database, off: timedelta
) -> None:
    await appender.append(new_append())
    clock.off = off
    async with asyncio.timeout(60):  # it is said at once, not when the patience is over
        appending = [appender.append(new_append()) for _ in range(9)]
        outcomes = await asyncio.gather(*appending, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {ClockJumped}
    assert tells_of_a_jump(appender)
    assert len(moments(database)) == 1

    clock.off = timedelta(minutes=4)
    await appender.append(new_append())
    assert not tells_of_a_jump(appender)
    assert len(moments(database)) == 2


async def test_a_log_whose_last_moment_lies_far_ahead_takes_nothing_until_an_operator_accepts_it(
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

    move_last_moment(database, timedelta(days=3651))  # that is not what was accepted
    with pytest.raises(ClockJumped):
        await appender.append(new_append())


async def test_a_clock_set_back_by_minutes_does_not_set_the_logs_time_back(
    appender: Appender, database: Database
) -> None:
    await appender.append(new_append())
    move_last_moment(database, timedelta(minutes=4))
    await appender.append(new_append())
    first, second = moments(database)
    assert first == second


async def test_it_is_noticed_while_nobody_appends(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appenders, "LOOK_SECONDS", 0.05)
    clock.off = timedelta(hours=1)
    appender = Appender(database.command, clock=clock)
    async with asyncio.timeout(60), appender.running():
        while not tells_of_a_jump(appender):  # noqa: ASYNC110 - as those do who ask whether it is ready
            await asyncio.sleep(0.05)
        clock.off = timedelta()
        while tells_of_a_jump(appender):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert moments(database) == []
