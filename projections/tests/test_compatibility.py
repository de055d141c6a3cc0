"""Compatibility of derived schemas with released ones."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from projections_testing.schema_edits import compatible_edits, incompatible_edits

from command_api.domain.catalogue import DEFINITIONS, EVENT_CLASSES
from projections.public_events.schemas import released_schemas
from projections.public_schemas import derivation
from projections.public_schemas.compatibility import incompatibilities
from projections.public_schemas.derivation import derived_schemas
from projections.public_schemas.release import Difference, differences

TRAILER = "fleetlog.trailer.registered.v2"

schemas = st.sampled_from(sorted(released_schemas())).map(lambda name: dict(released_schemas()[name]))


def edited(name: str = TRAILER) -> dict[str, Any]:
    """A copy of a released schema, to be changed."""
    return copy.deepcopy(dict(released_schemas()[name]))


def test_derived_schemas_match_the_released_schemas() -> None:
    """If not: `./fleetlog projections schemas`, and the README of `public_schemas` says what to do."""
    assert differences(released_schemas(), derived_schemas()) == []


@settings(deadline=None, max_examples=300)
@given(schemas.flatmap(lambda schema: st.tuples(st.just(schema), incompatible_edits(schema))))
def test_incompatible_changes_are_refused(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    released, derived = pair
    assert incompatibilities(released, derived)


@settings(deadline=None, max_examples=300)
@given(schemas.flatmap(lambda schema: st.tuples(st.just(schema), compatible_edits(schema))))
def test_compatible_changes_are_accepted(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    released, derived = pair
    assert incompatibilities(released, derived) == []
    assert differences({TRAILER: released}, {TRAILER: derived}) == [Difference(TRAILER, "compatible")]


def test_reason_names_the_json_pointer() -> None:
    schema = edited("fleetlog.location.details_changed.v2")
    kinds = schema["properties"]["changes"]["properties"]["location_type"]["properties"]["to"]["enum"]
    kinds.append("PORT")
    del schema["properties"]["changes"]["properties"]["location_type"]["properties"]["from"]
    schema["required"].remove("masked")
    assert incompatibilities(released_schemas()["fleetlog.location.details_changed.v2"], schema) == [
        "/properties/changes/properties/location_type/properties/from: gone",
        "/properties/changes/properties/location_type/properties/to/enum: changed",
        "/required: masked may be missing now",
    ]


def test_newly_required_field_is_refused() -> None:
    schema = edited()
    schema["properties"]["details"]["required"].append("status")
    assert incompatibilities(released_schemas()[TRAILER], schema) == [
        "/properties/details/required: status could be missing until now"
    ]


def test_new_member_of_an_open_object_is_refused() -> None:
    schema = edited()
    schema["properties"]["details"]["properties"]["data"]["properties"] = {"depot": {"type": "string"}}
    assert incompatibilities(released_schemas()[TRAILER], schema) == [
        "/properties/details/properties/data/properties/depot: could be anything until now"
    ]


def test_true_is_not_one() -> None:
    assert incompatibilities({"const": 1}, {"const": True}) == ["/const: changed"]
    assert incompatibilities({"enum": [1]}, {"enum": [True]}) == ["/enum: changed"]


def test_derived_schemas_of_a_new_version_are_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivation, "VERSION", 3)
    found = differences(released_schemas(), derived_schemas())
    assert found == [
        Difference(f"fleetlog.{entity}.{kind}.v3", "new") for entity in DEFINITIONS for kind in EVENT_CLASSES
    ]
    schema = derived_schemas()["fleetlog.driver.registered.v3"]
    assert schema["properties"]["schema_version"]["const"] == 3


def test_additional_version_is_new() -> None:
    derived = {"a.v2": edited()}
    assert differences({"a.v1": {"type": "object"}}, derived) == [Difference("a.v2", "new")]


@pytest.mark.parametrize("derived", [{}, {"a.v1": {}}, {"b.v2": {}}])
def test_removing_a_released_type_is_refused(derived: dict[str, Any]) -> None:
    found = differences({"a.v2": {}}, derived)
    assert [(one.type, one.kind) for one in found if one.kind == "incompatible"] == [("a.v2", "incompatible")]
