"""Records and list items match their documented schemas."""

from typing import Any

import jsonschema
import pytest
from projections_testing.fleet import BEGIN, DETAILS, METADATA

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from read_model.tables import ENTITY_TABLES, EntityTable


def record_of(table: EntityTable, details: dict[str, Any]) -> dict[str, Any]:
    aggregate = Aggregate(DEFINITIONS[table.entity.name], "ID-1")
    state = aggregate.after(aggregate.register(details, METADATA), BEGIN).state
    assert state
    return state.record()


@pytest.mark.parametrize("table", ENTITY_TABLES, ids=lambda table: table.name)
def test_records_and_list_items_have_the_documented_fields_in_order(table: EntityTable) -> None:
    record = record_of(table, DETAILS[table.entity.name])
    item = table.entity.list_item(record)
    for shown, schema in ((record, table.entity.schema), (item, table.entity.list_schema)):
        assert list(shown) == list(schema["properties"]) == schema["required"]
        jsonschema.validate(shown, schema)


@pytest.mark.parametrize("table", ENTITY_TABLES, ids=lambda table: table.name)
def test_released_examples_match_records_of_the_write_side(table: EntityTable) -> None:
    definition = DEFINITIONS[table.entity.name]
    example = dict(table.entity.example)
    details = definition.details.model_validate({name: example[name] for name in definition.fields})
    record = record_of(table, details.model_dump(mode="json"))
    assert list(record) == list(example)
    assert [record[name] for name in definition.fields] == [example[name] for name in definition.fields]
    jsonschema.validate(table.entity.list_item(example), table.entity.list_schema)


def test_trailer_list_item_has_the_additional_list_names() -> None:
    (table,) = (table for table in ENTITY_TABLES if table.name == "trailers")
    item = table.entity.list_item(record_of(table, DETAILS["trailer"]))
    assert item["registrationNumber"] == "KA01AB1234"
    assert item["capacity"] == 40
    assert item["assignedDriver"] == "Sagar Transport"
    assert item["currentLocation"] == "Hosur"
    assert item["lastMaintenance"] == "2026-10-02"


@pytest.mark.parametrize("data", [None, {}, {"currentLocation": None}, "no object"])
def test_trailer_without_data_has_null_list_values(data: Any) -> None:
    (table,) = (table for table in ENTITY_TABLES if table.name == "trailers")
    item = table.entity.list_item(record_of(table, {"identifier": "7", "data": data}))
    assert item["currentLocation"] is None
    assert item["lastMaintenance"] is None
    assert item["assignedDriver"] is None
