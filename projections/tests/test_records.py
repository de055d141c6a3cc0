"""That the documented shapes are those of the records that the projections write."""

from typing import Any

import pytest
from projections_testing.fleet import BEGIN, DETAILS, METADATA
from pydantic import BaseModel

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from projections.list_items import list_item
from projections.tables import ENTITY_TABLES, EntityTable


def record_of(table: EntityTable, details: dict[str, Any]) -> dict[str, Any]:
    aggregate = Aggregate(DEFINITIONS[table.entity.name], "ID-1")
    state = aggregate.after(aggregate.register(details, METADATA), BEGIN).state
    assert state
    return state.record()


@pytest.mark.parametrize("table", ENTITY_TABLES, ids=lambda table: table.name)
def test_records_and_list_items_have_the_documented_fields_in_their_order(table: EntityTable) -> None:
    record = record_of(table, DETAILS[table.entity.name])
    assert list(record) == list(table.record.model_fields)
    assert list(list_item(table.entity, record)) == list(table.list_item.model_fields)


@pytest.mark.parametrize("table", ENTITY_TABLES, ids=lambda table: table.name)
def test_the_documented_examples_are_of_the_documented_shape(table: EntityTable) -> None:
    for model in (table.record, table.list_item):
        _validate(model, _example(model))


@pytest.mark.parametrize("table", ENTITY_TABLES, ids=lambda table: table.name)
def test_an_example_s_details_satisfy_the_write_side_s_rules(table: EntityTable) -> None:
    definition = DEFINITIONS[table.entity.name]
    example = _example(table.record)
    details = definition.details.model_validate({name: example[name] for name in definition.fields})
    _validate(table.record, record_of(table, details.model_dump(mode="json")))


def test_a_trailer_s_list_item_also_has_the_names_that_the_list_reads() -> None:
    (table,) = (table for table in ENTITY_TABLES if table.name == "trailers")
    item = list_item(table.entity, record_of(table, DETAILS["trailer"]))
    assert item["registrationNumber"] == "KA01AB1234"
    assert item["capacity"] == 40
    assert item["assignedDriver"] == "Sagar Transport"
    assert item["currentLocation"] == "Hosur"
    assert item["lastMaintenance"] == "2026-10-02"


@pytest.mark.parametrize("data", [None, {}, {"currentLocation": None}, "no object"])
def test_a_trailer_of_which_nothing_more_is_known_is_nowhere(data: Any) -> None:
    (table,) = (table for table in ENTITY_TABLES if table.name == "trailers")
    item = list_item(table.entity, record_of(table, {"identifier": "7", "data": data}))
    assert item["currentLocation"] is None
    assert item["lastMaintenance"] is None
    assert item["assignedDriver"] is None


def _example(model: type[BaseModel]) -> dict[str, Any]:
    extra = model.model_config["json_schema_extra"]
    assert isinstance(extra, dict)
    example = extra["example"]
    assert isinstance(example, dict)
    return example


def _validate(model: type[BaseModel], record: dict[str, Any]) -> None:
    assert list(record) == list(model.model_fields)
    model.model_validate(record, strict=True)
