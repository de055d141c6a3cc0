"""Records and list items match their documented schemas, and payloads of notifications round-trip."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from projections_testing.fleet import BEGIN, DETAILS, METADATA

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from read_model.tables import ENTITY_TABLES, EntityTable
from read_model.tables.notification import ProjectionNotification


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


POSITIONS = st.integers(min_value=0, max_value=10**18 - 1)
PROJECTIONS = st.lists(st.sampled_from(["drivers", "horses", "revisions", "drivers_next"]), min_size=1)
STREAMS = st.builds(
    "{}:{}".format,
    st.sampled_from(["driver", "horse"]),
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True),
)


@pytest.mark.parametrize(
    ("streams", "payload"),
    [
        (["driver:EMP-1"], "drivers,revisions:7-8:driver:EMP-1"),
        (["horse:2", "driver:1", "horse:2"], "drivers,revisions:7-8:driver:1,horse:2"),
        ([], "drivers,revisions:7-8:"),
        (["driver:a,b"], "drivers,revisions:7-8"),
        (["driver:a b"], "drivers,revisions:7-8"),
        (["nonsense"], "drivers,revisions:7-8"),
        ([f"driver:{number:064}" for number in range(97)], None),
        ([f"driver:{number:064}" for number in range(98)], "drivers,revisions:7-8"),
    ],
)
def test_payload_names_streams_if_possible(streams: list[str], payload: str | None) -> None:
    projected = ProjectionNotification.create(["drivers", "revisions"], after=7, to=8, streams=streams)
    assert projected.payload.startswith(payload or "drivers,revisions:7-8:driver:")
    assert projected.streams == (None if payload == "drivers,revisions:7-8" else set(streams))


@given(PROJECTIONS, POSITIONS, POSITIONS, st.none() | st.lists(STREAMS | st.text(), max_size=200))
def test_payload_round_trips(projections: list[str], after: int, to: int, streams: list[str] | None) -> None:
    projected = (
        ProjectionNotification(tuple(projections), to, after)
        if streams is None
        else ProjectionNotification.create(projections, after=after, to=to, streams=streams)
    )
    assert len(projected.payload.encode()) < 8000
    assert ProjectionNotification.parse(projected.payload) == projected


@given(st.text() | st.from_regex(r"[a-z_,]*:[0-9-]*:?.*"))
def test_arbitrary_payload_is_invalid_or_round_trips(payload: str) -> None:
    projected = ProjectionNotification.parse(payload)
    assert projected is None or ProjectionNotification.parse(projected.payload) == projected


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "drivers",
        "drivers:",
        "drivers:x",
        "drivers:1",
        "drivers:1-",
        f"drivers:{'9' * 19}",
        "drivers:1-2:driver:a b",
    ],
)
def test_invalid_payload_is_none(payload: str) -> None:
    assert ProjectionNotification.parse(payload) is None
