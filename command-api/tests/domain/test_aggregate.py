"""Decisions of aggregates, and the storage of their events."""

from typing import Any

import pytest
from command_api_testing.contexts import METADATA, MOMENT
from eventsourcing.persistence import StoredEvent
from hypothesis import given

from command_api.domain.aggregate import Aggregate, project
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.state import InapplicableEvent
from command_api.event_store.mapper import MAPPER, UnreadableEvent
from ops.base.records.json_values import nested_at_most, same_json
from ops.testing.json_values import json_values

HORSE = Aggregate(DEFINITIONS["horse"], "H1")


def given_registered(values: dict[str, Any]) -> Aggregate:
    return HORSE.after(HORSE.register(values, METADATA), MOMENT)


def test_change_has_old_and_new_values_of_changed_fields_only() -> None:
    event = given_registered({"owner": "A", "hired": "No"}).change({"owner": "B", "hired": "No"}, METADATA)

    assert event is not None
    assert {name: (change.from_, change.to) for name, change in event.changes.items()} == {
        "owner": ("A", "B")
    }


def test_event_without_moment_cannot_be_projected() -> None:
    with pytest.raises(InapplicableEvent):
        project(None, [HORSE.register({}, METADATA)])


@given(json_values)
def test_json_value_equals_itself(value: Any) -> None:
    assert same_json(value, value)


@pytest.mark.parametrize(
    ("one", "other"), [(True, 1), (False, 0), (None, False), ("1", 1), ([1], [1, 1]), ({"a": 1}, {"b": 1})]
)
def test_json_values_of_other_kinds_differ(one: Any, other: Any) -> None:
    assert not same_json(one, other)
    assert not same_json([other], [one])


def test_number_formats_and_member_order_do_not_matter() -> None:
    assert same_json({"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0})


def test_nesting_counts_objects_and_arrays() -> None:
    assert nested_at_most({"a": [{}]}, 3)
    assert not nested_at_most({"a": [{}]}, 2)


READABLE = MAPPER.to_stored_event(HORSE.register({"identifier": "7"}, METADATA)).state


@pytest.mark.parametrize(
    ("topic", "state"),
    [
        ("lorry.registered", b"{}"),
        ("horse.sold", b"{}"),
        ("horse.registered", b"{}"),
        ("horse.registered", b"not json"),
        *(("horse.registered", READABLE[:-1] + end) for end in (b"", b"]", b"}}", b"},{}", b"}x", b",}")),
        ("driver.removed", b"{}"),
    ],
)
def test_event_of_an_unknown_shape_is_unreadable(topic: str, state: bytes) -> None:
    with pytest.raises(UnreadableEvent):
        MAPPER.to_domain_event(StoredEvent("horse:H1", 1, topic, state))


@pytest.mark.parametrize("last", [b"}", b"} \n"])
def test_columns_of_the_log_override_members_of_the_state(last: bytes) -> None:
    aggregate = Aggregate(DEFINITIONS["horse"], "H1")
    details = {**aggregate.definition.blank_details(), "identifier": "7"}
    stored = MAPPER.to_stored_event(aggregate.register(details, METADATA)).state
    other = stored[:-1] + b',"originator_id":"horse:H2","originator_version":9' + last
    event = MAPPER.to_domain_event(StoredEvent("horse:H1", 1, "horse.registered", other))
    assert MAPPER.to_stored_event(event) == StoredEvent("horse:H1", 1, "horse.registered", stored)
