"""However large records and events are, few of them are held at once, and the tables are the same."""

import json
from typing import Any

import pytest
from projections_testing.entity_tables import HORSES
from projections_testing.fleet import Fleet, fold_of_log
from projections_testing.following import catch_up
from psycopg import AsyncConnection, sql

from command_api.event_store.records import RecordedEvent
from projections.entity_tables.projection import EntityProjection
from projections.reading.log import BATCH_BYTES, has_room, read_batch
from projections.relay.revisions import read_revisions
from projections.revisions.states import STATES_BYTES, with_states
from projections.sealing.rows import rows_between
from projections.tables import REVISIONS

pytestmark = pytest.mark.integration

LONG = 245_000
HORSES_COUNT = 12


@pytest.fixture
async def large(fleet: Fleet, connection: AsyncConnection) -> Fleet:
    """Horses whose records are long, in the tables; then short changes of all of them, which are not."""
    for number in range(HORSES_COUNT):
        fleet.register("horse", f"HRS-{number}", metadata={"note": "x" * LONG})
    await catch_up(connection)
    for hired in ("Yes", "No"):
        for number in range(HORSES_COUNT):
            fleet.change("horse", f"HRS-{number}", hired=hired)
    return fleet


def kept(fleet: Fleet) -> dict[str, Any]:
    rows = fleet.connection.execute("SELECT id, version, record FROM read.horses").fetchall()
    return {entity_id: (version, record) for entity_id, version, record in rows}


def expected(fleet: Fleet) -> dict[str, Any]:
    folded = fold_of_log(fleet.connection).items()
    return {entity_id: (state.version, state.record()) for (_, entity_id), state in folded}


async def test_short_changes_of_large_records_load_few_of_them_at_once(
    large: Fleet, connection: AsyncConnection
) -> None:
    batch = await read_batch(connection, after=HORSES_COUNT)
    assert len(batch) == 2 * HORSES_COUNT
    most = STATES_BYTES // LONG + 1
    seen: list[RecordedEvent] = []
    async for events, states in with_states(connection, REVISIONS, batch):
        assert 1 <= len(states) <= most
        seen += events
    assert seen == list(batch)
    states_of_some, _ = await EntityProjection(HORSES).load(connection, [f"HRS-{n}" for n in range(12)])
    assert list(states_of_some) == [f"HRS-{number}" for number in range(most)]
    await catch_up(connection)
    assert kept(large) == expected(large)
    rows = large.connection.execute(
        "SELECT state FROM read.revisions WHERE version = 3 ORDER BY position"
    ).fetchall()
    assert [json.dumps(state) for (state,) in rows] == [
        json.dumps(record) for _, (_, record) in sorted(kept(large).items(), key=lambda one: int(one[0][4:]))
    ]


async def test_what_compresses_well_counts_as_what_it_is(large: Fleet, connection: AsyncConnection) -> None:
    """By a hundredth of their size, 4 MB of it would be 400 MB in memory."""
    large.connection.execute(
        sql.SQL(
            "UPDATE read.revisions SET public_event = state, public_state = state WHERE position <= {}"
        ).format(HORSES_COUNT)
    )
    relayed = await read_revisions(connection, after=0)
    assert len(relayed) == BATCH_BYTES // (2 * LONG) + 1
    portions = [rows async for rows in rows_between(connection, after=0, up_to=3 * HORSES_COUNT)]
    assert [row.position for rows in portions for row in rows] == list(range(1, 3 * HORSES_COUNT + 1))


def test_no_further_events_are_waited_for_where_there_are_many_bytes() -> None:
    event = RecordedEvent("horse:HRS-1", 1, "horse.registered", b"x" * LONG, 1, None)  # type: ignore[arg-type]
    assert has_room([event])
    assert not has_room([event] * (BATCH_BYTES // LONG + 1))
