"""The read tables equal a fold of the log for any batching and size."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections_testing.entity_tables import HORSES
from projections_testing.fleet import Fleet, assert_tables_hold, fold_of_log, rows_of
from projections_testing.leases import catch_up
from projections_testing.published import assert_event_fits
from psycopg import AsyncConnection, sql
from psycopg.rows import class_row

from ops.base.database.connection import connect
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.engine.batch import fold
from projections.engine.states import STATES_BYTES, load_states
from projections.entity_tables.projection import EntityProjection
from projections.event_log import BATCH_BYTES, ConnectionSession, read_batch
from projections.relay.records import read_revisions
from projections.workers.sealing.rows import rows_between
from read_model.public_events.envelope import COLUMNS, PublicEvent

texts = st.text(max_size=5) | st.sampled_from(["\x00", "\N{PILE OF POO}", '"', "\\u0000"])
floats = st.floats(allow_nan=False, allow_infinity=False)
changes: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "driver": st.fixed_dictionaries({"name": texts}),
    "trailer": st.fixed_dictionaries({"data": st.dictionaries(texts, st.integers() | texts, max_size=2)}),
    "horse": st.fixed_dictionaries({"metadata": st.dictionaries(texts, floats, max_size=2)}),
    "location": st.fixed_dictionaries({"lat": st.floats(-90, 90)}),
}


@st.composite
def steps(draw: st.DrawFn) -> tuple[str, str, str, dict[str, Any]]:
    entity = draw(st.sampled_from(sorted(changes)))
    action = draw(st.sampled_from(["register", "change", "change", "remove", "project"]))
    return action, entity, draw(st.sampled_from(["A", "B"])), draw(changes[entity])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=st.lists(steps(), max_size=25), max_events=st.integers(1, 6))
async def test_the_read_tables_equal_a_fold_of_the_log(
    shared_fleet: Fleet,
    module_database: Database,
    history: list[tuple[str, str, str, dict[str, Any]]],
    max_events: int,
) -> None:
    fleet = shared_fleet
    fleet.clear()
    async with await connect(module_database.projections, autocommit=True) as connection:
        for action, entity, entity_id, details in history:
            if action == "project":
                await catch_up(connection, max_events=max_events)
            else:
                fleet.play(action, entity, entity_id, details)
        await catch_up(connection, max_events=max_events)
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    check_revisions(fleet)


def check_revisions(fleet: Fleet) -> None:
    """Every position has its revision, and the last one of each stream has the state that the table shows."""
    rows = fleet.connection.execute(
        "SELECT position, entity, entity_id, version, state::text FROM read.revisions ORDER BY position"
    ).fetchall()
    assert [row[0] for row in rows] == list(range(1, fleet.position + 1))
    check_public_events(fleet)
    last = {(entity, entity_id): (version, state) for _, entity, entity_id, version, state in rows}
    folded = fold_of_log(fleet.connection)
    for stream, (version, state) in last.items():
        expected = folded.get(stream)
        assert (json.loads(state) if state else None) == (expected.record() if expected else None)
        assert expected is None or version == expected.version


def check_public_events(fleet: Fleet) -> None:
    """What relay and feed read fits the schema that the envelope leads to."""
    with fleet.connection.cursor(row_factory=class_row(PublicEvent)) as cursor:
        for event in cursor.execute(f"SELECT {COLUMNS} FROM read.revisions"):  # noqa: S608
            assert_event_fits(event)


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


async def test_short_changes_of_large_records_load_few_of_them_at_once(
    large: Fleet, connection: AsyncConnection
) -> None:
    session = ConnectionSession(connection)
    batch = await read_batch(session, after=HORSES_COUNT)
    assert len(batch.events) == 2 * HORSES_COUNT
    most = STATES_BYTES // LONG + 1
    number, (changes,) = await fold(session, [PROJECTIONS["horses"]], batch.events)
    assert 1 <= number < len(batch.events)
    assert 1 <= len(changes.states) <= most
    wanted = [("horse", f"HRS-{number}") for number in range(HORSES_COUNT)]
    (known,) = await load_states(session, [EntityProjection(HORSES).state_query(wanted)])
    assert list(known.states) == wanted[:most]
    await catch_up(connection)
    assert_tables_hold(large, fold_of_log(large.connection))
    rows = large.connection.execute(
        "SELECT state FROM read.revisions WHERE version = 3 ORDER BY position"
    ).fetchall()
    assert [json.dumps(state) for (state,) in rows] == [
        json.dumps(rows_of(large.connection, "horses")[entity_id][1]) for _, entity_id in wanted
    ]


async def test_compressed_values_count_with_their_full_size(
    large: Fleet, connection: AsyncConnection
) -> None:
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
