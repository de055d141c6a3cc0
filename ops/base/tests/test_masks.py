"""Masks hide personal data only, and reveal nothing about it."""

import json
from typing import Any, Final

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.base.records.entities import ENTITY_TYPES, EntityType, entity_type
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import is_personal, masked_body, masked_record, masked_schema

_VALUES: Final = st.none() | st.booleans() | st.integers() | st.text() | st.dictionaries(st.text(), st.text())


@st.composite
def alike(draw: st.DrawFn) -> tuple[EntityType, dict[str, Any], dict[str, Any]]:
    """Two records that differ in personal data alone; a member of each is not known."""
    entity = draw(st.sampled_from(ENTITY_TYPES))
    names = [*entity.schema["properties"], "not known"]
    shared = {name: draw(_VALUES) for name in names}
    other = {name: draw(_VALUES) if is_personal(entity, name) else shared[name] for name in names}
    return entity, shared, other


@given(case=alike())
def test_masked_records_do_not_depend_on_personal_data(
    case: tuple[EntityType, dict[str, Any], dict[str, Any]],
) -> None:
    entity, one, other = case
    assert masked_record(entity, one) == masked_record(entity, other)
    bodies = [json_bytes(entity.wrap(record)) for record in (one, other)]
    assert masked_body(entity, bodies[0]) == masked_body(entity, bodies[1])


@given(case=alike())
def test_other_fields_are_unchanged_and_masked_ones_listed(
    case: tuple[EntityType, dict[str, Any], dict[str, Any]],
) -> None:
    entity, record, _ = case
    masked = masked_record(entity, record)
    hidden = masked.pop("masked")
    assert list(masked) == list(record)
    assert {name: masked[name] for name in masked if name not in hidden} == {
        name: value for name, value in record.items() if name not in hidden
    }
    assert all(masked[name] is None for name in hidden)
    assert hidden == [name for name in record if is_personal(entity, name)]
    assert "id" not in hidden


def test_list_fields_derived_from_personal_data_are_masked() -> None:
    trailer = entity_type("trailer")
    item = trailer.list_item(dict(trailer.example))
    masked = masked_record(trailer, item)
    assert {name for name in trailer.listed if masked[name] is None} == {
        "assignedDriver",
        "currentLocation",
        "lastMaintenance",
    }
    assert (masked["capacity"], masked["registrationNumber"]) == (40, "KA01AB1234")


def test_records_without_personal_data_are_not_masked() -> None:
    location = entity_type("location")
    record = json_bytes(location.wrap(location.example))
    assert masked_body(location, record) == record


@pytest.mark.parametrize("entity", ENTITY_TYPES, ids=lambda entity: entity.name)
def test_masked_schema_matches_masked_records_only(entity: EntityType) -> None:
    if not entity.personal:
        return
    for schema, record in (
        (entity.schema, dict(entity.example)),
        (entity.list_schema, entity.list_item(dict(entity.example))),
    ):
        shape = masked_schema(entity, schema)
        jsonschema.validate(masked_record(entity, record), shape)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(record, shape)


@pytest.mark.parametrize("entity", ENTITY_TYPES, ids=lambda entity: entity.name)
def test_missing_record_stays_null(entity: EntityType) -> None:
    assert json.loads(masked_body(entity, json_bytes(entity.wrap(None)))) == entity.wrap(None)
