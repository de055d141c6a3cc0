"""That the read tables are nothing but a fold of the log, however the events were batched."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections_testing.fleet import (
    Fleet,
    assert_tables_hold,
    fold_of_log,
    insert_event,
    position_of,
    rows_of,
)
from projections_testing.following import apply_next, catch_up
from projections_testing.published import assert_event_fits
from psycopg import AsyncConnection
from psycopg.rows import class_row

from ops.base.database import connect
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.progress import positions
from projections.public_events.envelope import COLUMNS, PublicEvent

pytestmark = pytest.mark.integration


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


async def test_the_changed_position_moves_only_with_the_table(
    fleet: Fleet, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.register("horse", "HRS-1")
    fleet.change("driver", "EMP-1", city="Pune")
    fleet.change("horse", "HRS-1", hired="Yes")
    await catch_up(connection, max_events=3)
    rows = fleet.connection.execute(
        "SELECT projection, position, changed_position FROM read.positions ORDER BY projection"
    ).fetchall()
    assert rows == [
        ("drivers", 4, 3),
        ("horses", 4, 4),
        ("locations", 4, 0),
        ("revisions", 4, 4),
        ("trailers", 4, 0),
    ]


async def test_a_removal_alone_moves_the_changed_position(fleet: Fleet, connection: AsyncConnection) -> None:
    fleet.register("driver", "EMP-1")
    await catch_up(connection)
    fleet.remove("driver", "EMP-1")
    await catch_up(connection)
    row = fleet.connection.execute(
        "SELECT changed_position FROM read.positions WHERE projection = 'drivers'"
    ).fetchone()
    assert row == (2,)


async def test_revisions_go_on_after_an_event_that_nobody_can_read(
    fleet: Fleet, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    insert_event(
        fleet.connection,
        position=2,
        stream="driver:EMP-2",
        version=1,
        topic="driver.registered",
        state=b"\xff",
    )
    fleet.position = 2
    fleet.change("driver", "EMP-1", city="Pune")
    revisions = PROJECTIONS["revisions"]
    await positions.prepare(connection, revisions.table)
    assert await apply_next(connection, revisions) == 3
    rows = fleet.connection.execute("SELECT state IS NULL FROM read.revisions ORDER BY position").fetchall()
    assert rows == [(False,), (True,), (False,)]


async def test_many_states_of_a_large_record_fit_through(fleet: Fleet, connection: AsyncConnection) -> None:
    fleet.register("horse", "HRS-1", metadata={"notes": "x" * 250_000})
    for number in range(40):
        fleet.change("horse", "HRS-1", hired=str(number))
    await catch_up(connection)
    assert position_of(fleet.connection, "revisions") == 41
    row = fleet.connection.execute(
        "SELECT count(*), min(length(state::text)) > 250000 FROM read.revisions"
    ).fetchone()
    assert row == (41, True)
    assert rows_of(fleet.connection, "horses")["HRS-1"][1]["hired"] == "39"
