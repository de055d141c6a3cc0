"""The log is read completely, in order and in batches of limited size."""

import psycopg
import pytest
from projections_testing.fleet import Fleet, insert_event
from psycopg import AsyncConnection

from projections.event_log import BATCH_BYTES, BATCH_EVENTS, ConnectionSession, read_batch
from projections.failures import LogGap


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


async def test_batches_of_large_events_are_small_but_not_empty(
    fleet: Fleet, connection: AsyncConnection
) -> None:
    for position in range(1, 8):
        insert(fleet.connection, position, state=b"x" * 1000)
    assert await read(connection, after=0, max_bytes=2500) == [1, 2, 3]
    assert await read(connection, after=1, max_bytes=100) == [2]


async def test_batch_with_a_prefix_covers_all_positions(fleet: Fleet, connection: AsyncConnection) -> None:
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
