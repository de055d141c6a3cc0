"""Given what happened, when something is asked for, then this happens next: no I/O."""

from datetime import UTC, datetime
from typing import Any

import pytest
from eventsourcing.persistence import StoredEvent
from hypothesis import given
from hypothesis import strategies as st

from command_api.domain.aggregate import Aggregate, AlreadyRegistered, NotRegistered
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event, EventActor, EventMetadata
from command_api.event_store.mapper import MAPPER, UnreadableEvent
from ops.base.records.json_values import nested_at_most, same_json

NOW = datetime(2026, 11, 21, 4, 10, 45, 123456, tzinfo=UTC)
METADATA = EventMetadata(actor=EventActor(sub="dev|asha", name="Asha"), request_id="r1", fingerprint="f" * 64)
HORSE = Aggregate(DEFINITIONS["horse"], "H1")

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
details = st.fixed_dictionaries(
    {"chassis_number": st.text(min_size=1), "metadata": st.dictionaries(st.text(), json_values, max_size=3)}
)
commands = st.lists(
    st.one_of(
        st.tuples(st.just("register"), details),
        st.tuples(st.just("change"), details),
        st.tuples(st.just("remove"), st.none()),
    ),
    max_size=12,
)


def given_registered(values: dict[str, Any]) -> Aggregate:
    return HORSE.after(HORSE.register(values, METADATA), NOW)


def test_what_is_registered_cannot_be_registered_again() -> None:
    with pytest.raises(AlreadyRegistered):
        given_registered({"owner": "A"}).register({"owner": "B"}, METADATA)


def test_what_was_never_registered_can_be_neither_changed_nor_removed() -> None:
    with pytest.raises(NotRegistered):
        HORSE.change({}, METADATA)
    with pytest.raises(NotRegistered):
        HORSE.remove(METADATA)


def test_a_change_names_only_the_fields_that_changed_with_old_and_new_value() -> None:
    event = given_registered({"owner": "A", "hired": "No"}).change({"owner": "B", "hired": "No"}, METADATA)

    assert event is not None
    assert {name: (change.from_, change.to) for name, change in event.changes.items()} == {
        "owner": ("A", "B")
    }


@given(details)
def test_a_change_to_what_it_is_already_is_no_event(values: dict[str, Any]) -> None:
    assert given_registered(values).change(values, METADATA) is None


def test_removing_what_was_removed_is_no_event() -> None:
    registered = given_registered({})
    removed = registered.remove(METADATA)
    assert removed is not None

    assert registered.after(removed, NOW).remove(METADATA) is None


@given(commands)
def test_whatever_is_asked_the_stored_events_fold_to_the_same_aggregate(
    asked: list[tuple[str, dict[str, Any] | None]],
) -> None:
    aggregate, stored = HORSE, []
    for name, values in asked:
        try:
            event: Event | None = (
                aggregate.remove(METADATA)
                if values is None
                else aggregate.register(values, METADATA)
                if name == "register"
                else aggregate.change(values, METADATA)
            )
        except (AlreadyRegistered, NotRegistered):
            continue
        if event is not None:
            stored.append((event.type, MAPPER.to_stored_event(event).state, event.originator_version))
            aggregate = aggregate.after(event, NOW)

    replayed = HORSE
    for topic, state, version in stored:
        event = MAPPER.to_domain_event(StoredEvent("horse:H1", version, topic, state))
        replayed = replayed.after(event, NOW)
    assert replayed == aggregate
    assert [version for _, _, version in stored] == list(range(1, len(stored) + 1))


@given(json_values)
def test_a_json_value_is_the_same_as_itself(value: Any) -> None:
    assert same_json(value, value)


@pytest.mark.parametrize(
    ("one", "other"), [(True, 1), (False, 0), (None, False), ("1", 1), ([1], [1, 1]), ({"a": 1}, {"b": 1})]
)
def test_json_values_of_other_kinds_differ(one: Any, other: Any) -> None:
    assert not same_json(one, other)
    assert not same_json([other], [one])


def test_numbers_are_the_same_however_written_and_the_order_of_names_means_nothing() -> None:
    assert same_json({"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0})


def test_nesting_counts_objects_and_arrays() -> None:
    assert nested_at_most({"a": [{}]}, 3)
    assert not nested_at_most({"a": [{}]}, 2)


@pytest.mark.parametrize(
    ("topic", "state"),
    [
        ("lorry.registered", b"{}"),
        ("horse.sold", b"{}"),
        ("horse.registered", b"{}"),
        ("horse.registered", b"not json"),
        ("driver.removed", b"{}"),
    ],
)
def test_an_event_of_no_known_shape_is_unreadable(topic: str, state: bytes) -> None:
    with pytest.raises(UnreadableEvent):
        MAPPER.to_domain_event(StoredEvent("horse:H1", 1, topic, state))


@pytest.mark.parametrize("last", [b"}", b"} \n"])
def test_an_event_is_of_the_stream_that_the_log_s_columns_name(last: bytes) -> None:
    aggregate = Aggregate(DEFINITIONS["horse"], "H1")
    details = {**aggregate.definition.blank_details(), "identifier": "7"}
    stored = MAPPER.to_stored_event(aggregate.register(details, METADATA)).state
    other = stored[:-1] + b',"originator_id":"horse:H2","originator_version":9' + last
    event = MAPPER.to_domain_event(StoredEvent("horse:H1", 1, "horse.registered", other))
    assert MAPPER.to_stored_event(event) == StoredEvent("horse:H1", 1, "horse.registered", stored)


@pytest.mark.parametrize("end", [b"", b"]", b"}}", b"},{}", b"}x", b",}"])
def test_an_event_whose_json_does_not_end_as_it_should_is_unreadable(end: bytes) -> None:
    aggregate = Aggregate(DEFINITIONS["horse"], "H1")
    stored = MAPPER.to_stored_event(aggregate.register({"identifier": "7"}, METADATA)).state
    with pytest.raises(UnreadableEvent):
        MAPPER.to_domain_event(StoredEvent("horse:H1", 1, "horse.registered", stored[:-1] + end))
