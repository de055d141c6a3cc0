"""Whoever has the command API's password can append, and cannot make a log that readers stumble over."""

import asyncio
import contextlib
import random
import uuid
from typing import Any

import psycopg
import pytest
from eventsourcing.persistence import StoredEvent

from command_api.event_store import statements
from command_api.event_store.log import EventLog
from command_api.event_store.records import Append
from ops.base.database import connect
from ops.testing.postgres import Database
from ops.testing.soak import soak_count

pytestmark = pytest.mark.integration

# Whether positions and versions are dense, moments never go back, and none lies in the future.
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
    """Arguments of `log.append` such as its caller would not send; now and then good ones."""
    commands = source.randrange(4)
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
    ]


async def attack(database: Database, source: random.Random, *, calls: int) -> int:
    """Call `log.append` in hostile ways, also from within old snapshots; return how many went through."""
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
                        await connection.execute(statements.APPEND, hostile_call(source), binary=True)
                successes += 1
    return successes


async def try_to_spoil(database: Database, *, calls: int) -> None:
    """Attack from four sides while others append."""
    attacks = [attack(database, random.Random(side), calls=calls) for side in range(4)]
    async with EventLog.open(database.command) as log:

        async def append(number: int) -> None:
            for version in range(1, 1 + calls // 4):
                event = StoredEvent(f"trailer:{number}", version, "trailer.registered", b"{}")
                await log.append(Append(uuid.uuid4(), (event,)))

        successes = await asyncio.gather(*attacks, *(append(number) for number in range(4)))
    with psycopg.connect(database.owner) as connection:
        assert connection.execute(_SOUND).fetchone() == (True, True, True, True)
        ((events,),) = connection.execute("SELECT count(*) FROM log.events").fetchall()
    went_through = sum(filter(None, successes))
    print(f"{4 * calls} hostile transactions, of which {went_through} went through: {events} events")


async def test_hostile_appends_leave_no_gap_behind(database: Database) -> None:
    await try_to_spoil(database, calls=150)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_hostile_appends_leave_no_gap_behind_for_long(database: Database) -> None:
    await try_to_spoil(database, calls=soak_count(10_000))


@pytest.mark.parametrize("role", ["command", "projections", "query"])
async def test_nobody_writes_past_the_append(database: Database, role: str) -> None:
    gap = "INSERT INTO log.events VALUES (1000, 'horse:1', 1, 'horse.registered', '', now())"
    later = (
        "INSERT INTO log.events VALUES (1, 'horse:1', 1, 'horse.registered', '', now() + interval '10 years')"
    )
    async with await connect(getattr(database, role), autocommit=True) as connection:
        for statement in (gap, later):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await connection.execute(statement)
