"""That the documented shapes are those of the records that the projections write."""

from typing import Any

import jsonschema
import pytest
from projections_testing.fleet import BEGIN, DETAILS, METADATA

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.schemas import entity_descriptions
from ops.base.records.entities import RELEASED
from projections.tables import ENTITY_TABLES, EntityTable


def record_of(table: EntityTable, details: dict[str, Any]) -> dict[str, Any]:
    aggregate = Aggregate(DEFINITIONS[table.entity.name], "ID-1")
    state = aggregate.after(aggregate.register(details, METADATA), BEGIN).state
    assert state
    return state.record()


@pytest.mark.parametrize("table", ENTITY_TABLES, ids=lambda table: table.name)
def test_records_and_list_items_have_the_documented_fields_in_their_order(table: EntityTable) -> None:
    record = record_of(table, DETAILS[table.entity.name])
    item = table.entity.list_item(record)
    for shown, schema in ((record, table.entity.schema), (item, table.entity.list_schema)):
        assert list(shown) == list(schema["properties"]) == schema["required"]
        jsonschema.validate(shown, schema)


@pytest.mark.parametrize("table", ENTITY_TABLES, ids=lambda table: table.name)
def test_the_released_examples_are_records_of_what_the_write_side_takes(table: EntityTable) -> None:
    definition = DEFINITIONS[table.entity.name]
    example = dict(table.entity.example)
    details = definition.details.model_validate({name: example[name] for name in definition.fields})
    record = record_of(table, details.model_dump(mode="json"))
    assert list(record) == list(example)
    assert [record[name] for name in definition.fields] == [example[name] for name in definition.fields]
    jsonschema.validate(table.entity.list_item(example), table.entity.list_schema)


def test_what_is_released_of_the_entity_types_is_what_their_modules_say() -> None:
    assert RELEASED.read_text(encoding="utf-8") == entity_descriptions()


def test_a_trailer_s_list_item_also_has_the_names_that_the_list_reads() -> None:
    (table,) = (table for table in ENTITY_TABLES if table.name == "trailers")
    item = table.entity.list_item(record_of(table, DETAILS["trailer"]))
    assert item["registrationNumber"] == "KA01AB1234"
    assert item["capacity"] == 40
    assert item["assignedDriver"] == "Sagar Transport"
    assert item["currentLocation"] == "Hosur"
    assert item["lastMaintenance"] == "2026-10-02"


@pytest.mark.parametrize("data", [None, {}, {"currentLocation": None}, "no object"])
def test_a_trailer_of_which_nothing_more_is_known_is_nowhere(data: Any) -> None:
    (table,) = (table for table in ENTITY_TABLES if table.name == "trailers")
    item = table.entity.list_item(record_of(table, {"identifier": "7", "data": data}))
    assert item["currentLocation"] is None
    assert item["lastMaintenance"] is None
    assert item["assignedDriver"] is None
