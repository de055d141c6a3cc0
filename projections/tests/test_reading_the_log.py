"""That a reader of the log gets every event once, in order, in time, and not too much at once."""

import asyncio

import psycopg
import pytest
from projections_testing.fleet import Fleet, insert_event, position_of
from projections_testing.following import at_work, eventually, follower_of
from psycopg import AsyncConnection

from command_api.event_store.statements import APPENDED_CHANNEL
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.failures import LogGap
from projections.reading.log import BATCH_EVENTS, read_batch, told_head
from projections.reading.tail import Tail

pytestmark = pytest.mark.integration


def insert(connection: psycopg.Connection, position: int, state: bytes = b"{}") -> None:
    insert_event(
        connection,
        position=position,
        stream=f"driver:{position}",
        version=1,
        topic="driver.removed",
        state=state,
    )


async def test_a_batch_follows_the_position_in_order(fleet: Fleet, connection: AsyncConnection) -> None:
    for position in range(1, 8):
        insert(fleet.connection, position)
    batch = await read_batch(connection, after=2, max_events=4)
    assert [event.position for event in batch] == [3, 4, 5, 6]


async def test_an_event_in_flight_is_never_passed_over(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    insert(fleet.connection, 1)
    with psycopg.connect(database.owner) as slow:
        insert(slow, 2)
        insert(fleet.connection, 3)  # committed first
        assert [event.position for event in await read_batch(connection, after=0)] == [1]
        with pytest.raises(LogGap, match="position 2"):
            await read_batch(connection, after=1)
        slow.commit()
    assert [event.position for event in await read_batch(connection, after=1)] == [2, 3]


async def test_large_events_make_small_batches(fleet: Fleet, connection: AsyncConnection) -> None:
    for position in range(1, 8):
        insert(fleet.connection, position, state=b"x" * 1000)
    batch = await read_batch(connection, after=0, max_bytes=2500)
    assert [event.position for event in batch] == [1, 2, 3]
    assert len(batch[0].state) == 1000


async def test_an_event_larger_than_a_batch_comes_alone(fleet: Fleet, connection: AsyncConnection) -> None:
    for position in range(1, 4):
        insert(fleet.connection, position, state=b"x" * 5000)
    assert [event.position for event in await read_batch(connection, after=1, max_bytes=100)] == [2]


async def test_it_hands_out_what_follows_a_position_and_nothing_that_it_has_not_got(
    fleet: Fleet, database: Database
) -> None:
    for number in range(3):
        fleet.register("driver", f"OLD-{number}")
    tail = Tail(database.projections)
    running = asyncio.create_task(tail.run())
    try:
        await asyncio.wait_for(tail.changed.wait(), 60)  # then it has begun
        assert (tail.after(2), tail.after(3)) == ((), ())
        tail.changed.clear()
        fleet.register("driver", "EMP-1")
        await asyncio.wait_for(tail.changed.wait(), 60)
        assert [event.position for event in tail.after(3)] == [4]
        assert [tail.reaches(position) for position in (2, 3, 4)] == [False, True, True]
        assert (tail.after(2), tail.after(4)) == ((), ())
    finally:
        running.cancel()


async def test_without_it_a_follower_is_slower_and_misses_nothing(fleet: Fleet, database: Database) -> None:
    follower = follower_of(PROJECTIONS["drivers"], database, poll_seconds=0.1)
    running = asyncio.create_task(follower.run())
    try:
        for number in range(1, 4):
            fleet.register("driver", f"EMP-{number}")
            await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)
    finally:
        running.cancel()


async def test_who_is_far_behind_catches_up_without_waiting_for_polls(
    fleet: Fleet, database: Database
) -> None:
    for number in range(2 * BATCH_EVENTS + 1):
        fleet.register("driver", f"EMP-{number}")
    async with at_work(follower_of(PROJECTIONS["drivers"], database, poll_seconds=60)):
        await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)


async def test_it_comes_back_after_its_connection_was_lost(fleet: Fleet, database: Database) -> None:
    follower = follower_of(PROJECTIONS["drivers"], database, poll_seconds=60)
    async with at_work(follower):
        await eventually(lambda: follower.state.ok)
        fleet.connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND query LIKE 'LISTEN%'"
        )
        for number in range(1, 4):
            fleet.register("driver", f"EMP-{number}")
        await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)


async def test_a_notification_that_nobody_can_read_does_not_end_it(fleet: Fleet, database: Database) -> None:
    follower = follower_of(PROJECTIONS["drivers"], database, poll_seconds=60)
    async with at_work(follower):
        await eventually(lambda: follower.state.ok)
        # More digits than Python turns into a number.
        fleet.connection.execute("SELECT pg_notify('fleetlog_events', repeat('9', 5000))")
        for number in range(1, 4):
            fleet.register("driver", f"EMP-{number}")
        await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)


@pytest.mark.parametrize(
    ("payload", "head"),
    [("9" * 5_000, None), ("-5", None), ("٣٣", None), ("", None), ("1e9", None), ("7\n", None), ("7", 7)],
)
def test_what_anybody_can_notify_ends_nothing(payload: str, head: int | None) -> None:
    assert told_head([payload]) == head
    assert told_head([payload, "3"]) == max(head or 3, 3)


async def test_a_position_that_is_not_there_yet_is_not_believed(fleet: Fleet, database: Database) -> None:
    follower = follower_of(PROJECTIONS["drivers"], database)
    with psycopg.connect(database.query, autocommit=True) as stranger:
        async with at_work(follower):
            for number in range(1, 4):
                stranger.execute("SELECT pg_notify(%s, %s)", (APPENDED_CHANNEL, "9" * 18))
                fleet.register("driver", f"EMP-{number}")
                await eventually(lambda wanted=number: position_of(fleet.connection, "drivers") == wanted)  # type: ignore[misc]
    assert follower.state.error is None
