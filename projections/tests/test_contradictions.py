"""Changes appear in table, list and history, and a fold that ignores one is detected."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from projections_testing.entity_tables import HORSES
from projections_testing.fleet import DETAILS, METADATA, Fleet
from projections_testing.leases import catch_up
from psycopg import AsyncConnection

from command_api.domain import state as states
from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event
from command_api.domain.state import State
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.entity_tables.fold import fold
from projections.rebuild.comparison import Differences, compare_with_history
from projections.rebuild.rebuild import rebuild
from projections.revisions.revision import revise
from read_model.tables import ENTITY_TABLES, EntityTable

MOMENT = datetime(2026, 11, 21, tzinfo=UTC)
FIELDS = [(table, field) for table in ENTITY_TABLES for field in DEFINITIONS[table.entity.name].fields]


@pytest.mark.parametrize(
    ("table", "field"), FIELDS, ids=lambda one: one if isinstance(one, str) else one.entity.name
)
def test_changed_field_changes_in_record_list_item_and_history(table: EntityTable, field: str) -> None:
    unused = Aggregate(DEFINITIONS[table.entity.name], "ID-1")
    registered = unused.register(DETAILS[table.entity.name], METADATA)
    before = DETAILS[table.entity.name].get(field)
    value = {"changed": True} if isinstance(unused.definition.example[field], dict) else "changed"
    changed = unused.after(registered, MOMENT).change({field: value}, METADATA)
    assert changed
    first, second = (
        RecordedEvent.of(MAPPER.to_stored_event(event), position, MOMENT)
        for position, event in enumerate((registered, changed), start=1)
    )
    made = fold(table, None, [first, second]).entry
    assert made
    assert json.loads(made.row.record)[field] == json.loads(made.row.list_item)[field] == value
    _, state = revise(None, first)
    revision, _ = revise(state, second)
    assert json.loads(revision.changes) == [{"field": field, "from": before, "to": value}]
    assert revision.state
    assert json.loads(revision.state)[field] == value


async def test_a_fold_that_ignores_a_change_contradicts_the_history(
    fleet: Fleet, database: Database, connection: AsyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply = states.apply

    def without_hired(state: State | None, event: Event, *, moment: datetime) -> State | None:
        after = apply(state, event, moment=moment)
        return after and replace(
            after, details={name: of for name, of in after.details.items() if name != "hired"}
        )

    for number in range(3):
        fleet.register("horse", f"HRS-{number}", hired="No")
        fleet.change("horse", f"HRS-{number}", hired="Yes", identifier="x")
        fleet.change("horse", f"HRS-{number}", identifier=None)
    fleet.remove("horse", "HRS-0")
    fleet.register("horse", "HRS-0", hired=None)
    await catch_up(connection)
    assert await compare_with_history(connection, HORSES) == Differences(0, ())
    checked = await rebuild(database.projections, PROJECTIONS["horses"], only_compare=True)
    assert not checked.differs
    monkeypatch.setattr("projections.engine.states.apply", without_hired)
    for projection in ("horses", "revisions"):
        await rebuild(database.projections, PROJECTIONS[projection])
    assert await compare_with_history(connection, HORSES) == Differences(2, ("HRS-1", "HRS-2"))
    checked = await rebuild(database.projections, PROJECTIONS["horses"], only_compare=True)
    assert checked.differs
    assert any("ROWS CONTRADICT THEIR HISTORY: HRS-1, HRS-2" in line for line in checked.lines("horses"))
    fleet.connection.execute("UPDATE read.horses SET record = json_build_object('id', id) WHERE id = 'HRS-0'")
    assert (await compare_with_history(connection, HORSES)).count == 3
