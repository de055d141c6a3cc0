"""That a reader of the log gets every event once, in order, and not too much at a time."""

import psycopg
import pytest
from projections_testing.fleet import Fleet, insert_event
from psycopg import AsyncConnection

from ops.testing.postgres import Database
from projections.failures import LogGap
from projections.reading.log import read_batch

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
