"""That a reader of the log gets every event once, in order, in time, and not too much at once."""

import psycopg
import pytest
from projections_testing.fleet import Fleet, insert_event
from psycopg import AsyncConnection

from ops.testing.postgres import Database
from projections.failures import LogGap
from projections.reading.log import BATCH_BYTES, BATCH_EVENTS, read_batch
from projections.reading.session import ConnectionSession

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


async def read(
    connection: AsyncConnection, *, after: int, max_events: int = BATCH_EVENTS, max_bytes: int = BATCH_BYTES
) -> list[int]:
    """Return the positions of a batch."""
    session = ConnectionSession(connection)
    batch = await read_batch(session, after=after, max_events=max_events, max_bytes=max_bytes)
    positions = [event.position for event in batch.events]
    assert (batch.after, batch.to) == (after, positions[-1])
    return positions


async def test_a_batch_follows_the_position_in_order(fleet: Fleet, connection: AsyncConnection) -> None:
    for position in range(1, 8):
        insert(fleet.connection, position)
    assert await read(connection, after=2, max_events=4) == [3, 4, 5, 6]


async def test_an_event_in_flight_is_never_passed_over(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    insert(fleet.connection, 1)
    with psycopg.connect(database.owner) as slow:
        insert(slow, 2)
        insert(fleet.connection, 3)  # committed first
        assert await read(connection, after=0) == [1]
        with pytest.raises(LogGap, match="position 2"):
            await read(connection, after=1)
        slow.commit()
    assert await read(connection, after=1) == [2, 3]


async def test_large_events_make_small_batches_of_one_at_least(
    fleet: Fleet, connection: AsyncConnection
) -> None:
    for position in range(1, 8):
        insert(fleet.connection, position, state=b"x" * 1000)
    assert await read(connection, after=0, max_bytes=2500) == [1, 2, 3]
    assert await read(connection, after=1, max_bytes=100) == [2]


async def test_of_a_prefix_the_batch_has_the_events_of_its_streams_and_covers_all_positions(
    fleet: Fleet, connection: AsyncConnection
) -> None:
    session = ConnectionSession(connection)
    for number in range(3):
        fleet.register("driver", f"EMP-{number}")
        fleet.register("horse", f"HRS-{number}")
    batch = await read_batch(session, after=1, prefix="driver:", max_events=4)
    assert [event.position for event in batch.events] == [3, 5]
    assert (batch.after, batch.to) == (1, 5)
    batch = await read_batch(session, after=5, prefix="driver:")
    assert (list(batch.events), batch.to) == ([], 6)
    assert not await read_batch(session, after=6, prefix="driver:")
    fleet.connection.execute("DELETE FROM log.events WHERE notification_id = 4")
    assert (await read_batch(session, after=0, prefix="driver:")).to == 3
    with pytest.raises(LogGap, match="position 4"):
        await read_batch(session, after=3, prefix="driver:")
