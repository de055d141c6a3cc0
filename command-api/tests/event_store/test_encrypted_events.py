"""Encrypted events: readable with the key, without personal data otherwise, and bound to their place."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_api.domain.aggregate import project
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import (
    DetailsChanged,
    Event,
    EventActor,
    EventMetadata,
    FieldChange,
    Merged,
    MergedInto,
    Registered,
    Removed,
)
from command_api.event_store.mapper import MAPPER, UnreadableEvent
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.keys import Key
from ops.base.encryption.states import ENCRYPTED_PREFIX, plaintext_part

MOMENT: Final = datetime(2026, 11, 21, 4, 10, 45, 123456, tzinfo=UTC)
KEY: Final = Key.new()

MARK: Final = "Zx9"
"""Part of all personal data here, and of no name or other value."""
texts = st.text(max_size=20).map(lambda text: f"{MARK}-{text}")
personal_values = st.recursive(
    texts, lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(texts, inner, min_size=1)
)
harmless_values = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text("abc", max_size=9)


@st.composite
def values_of(draw: st.DrawFn, entity: str) -> dict[str, Any]:
    definition = DEFINITIONS[entity]
    names = draw(st.lists(st.sampled_from(definition.fields), unique=True, min_size=1))
    return {
        name: draw(st.none() | personal_values if name in definition.personal else harmless_values)
        for name in names
    }


@st.composite
def events(draw: st.DrawFn) -> Event:
    entity = draw(st.sampled_from(sorted(DEFINITIONS)))
    metadata = EventMetadata(
        undoes=draw(st.none() | st.integers(1, 9)),
        actor=EventActor(sub="dev|asha", name=draw(texts)),
        request_id="the-request",
        client_request_id=draw(st.none() | texts),
        traceparent=draw(st.none() | st.just("00-aa-bb-01")),
        reason=draw(st.none() | texts),
        fingerprint=draw(texts),
    )
    common: dict[str, Any] = {
        "originator_id": f"{entity}:ID-1",
        "originator_version": draw(st.integers(1, 2**62)),
        "metadata": metadata,
    }
    match draw(st.sampled_from([Registered, DetailsChanged, Removed, Merged, MergedInto])):
        case kind if kind is Registered:
            return Registered(**common, details=draw(values_of(entity)))
        case kind if kind in {DetailsChanged, Merged}:
            before, after = draw(values_of(entity)), draw(values_of(entity))
            changes = {name: FieldChange(from_=before.get(name), to=to) for name, to in after.items()}
            if kind is Merged:
                return Merged(**common, source="ID-2", source_version=2, changes=changes)
            return DetailsChanged(**common, changes=changes)
        case kind if kind is MergedInto:
            return MergedInto(**common, into="ID-2", into_version=2)
        case _:
            return Removed(**common)


def recorded(event: Event, key: Key | None = KEY) -> RecordedEvent:
    return RecordedEvent.of(MAPPER.to_stored_event(event, key), 7, MOMENT)


def with_key(event: RecordedEvent, key: Key | None = KEY) -> RecordedEvent:
    given = replace(event)
    given.unlock(key)
    return given


def unreadable(event: RecordedEvent) -> str:
    with pytest.raises(UnreadableEvent) as raised:
        MAPPER.to_domain_event(event)
    assert MARK not in str(raised.value)
    return raised.value.why


@given(events())
def test_decrypted_event_is_equal_except_for_the_actors_name(event: Event) -> None:
    stored = recorded(event)
    assert stored.key_id == KEY.id
    opened = MAPPER.to_domain_event(with_key(stored))
    actor = EventActor(sub=event.metadata.actor.sub)
    unnamed = event.metadata.model_copy(update={"actor": actor})
    assert (opened, opened.moment) == (event.model_copy(update={"metadata": unnamed}), MOMENT)
    assert recorded(event).state == stored.state, "encryption is deterministic, so retries are recognised"


@given(events())
def test_encrypted_state_has_no_personal_data(event: Event) -> None:
    state = recorded(event).state
    assert MARK.encode() not in plaintext_part(state)
    stored = json.loads(plaintext_part(state))
    assert stored["metadata"] == {
        "actor": {"sub": "dev|asha"},
        "request_id": event.metadata.request_id,
        "traceparent": event.metadata.traceparent,
        **({"undoes": event.metadata.undoes} if event.metadata.undoes else {}),
    }
    decoded = event.details if isinstance(event, Registered) else getattr(event, "changes", {})
    harmless = DEFINITIONS[event.entity].harmless
    shown = stored.get("details", stored.get("changes", {}))
    assert list(shown) == list(decoded)
    dumped = event.model_dump(mode="json")
    as_stored = {**dumped.get("details", {}), **dumped.get("changes", {})}
    for name, value in shown.items():
        assert value == as_stored[name] if name in harmless else not value


@given(events())
def test_event_without_its_key_has_null_for_personal_data(event: Event) -> None:
    decoded = MAPPER.to_domain_event(recorded(event))
    harmless = DEFINITIONS[event.entity].harmless
    assert (decoded.type, decoded.originator_version, decoded.moment) == (
        event.type,
        event.originator_version,
        MOMENT,
    )
    metadata = event.metadata
    assert decoded.metadata == EventMetadata(
        actor=EventActor(sub="dev|asha", name=""),
        request_id=metadata.request_id,
        traceparent=metadata.traceparent,
        undoes=metadata.undoes,
        fingerprint="",
    )
    match event, decoded:
        case (Registered(), Registered()):
            assert decoded.details == {n: v if n in harmless else None for n, v in event.details.items()}
        case (DetailsChanged(), DetailsChanged()):
            assert decoded.changes == {
                n: c if n in harmless else FieldChange() for n, c in event.changes.items()
            }


def a_life() -> list[Event]:
    """Return the events of a driver who is registered, changed, removed and registered again."""
    driver = DEFINITIONS["driver"].unused("EMP-1")
    metadata = EventMetadata(
        actor=EventActor(sub="dev|asha", name=f"{MARK} Asha"), request_id="r1", fingerprint="f"
    )
    details = DEFINITIONS["driver"].example
    registered = driver.register(details, metadata)
    driver = driver.after(registered, MOMENT)
    changed = driver.change({**details, "city": f"{MARK} Mysuru"}, metadata)
    assert changed
    driver = driver.after(changed, MOMENT)
    removed = driver.remove(metadata)
    assert removed
    again = driver.after(removed, MOMENT).register(details, metadata)
    return [registered, changed, removed, again]


def test_stream_without_its_key_folds_to_a_record_of_nulls() -> None:
    life = [MAPPER.to_domain_event(recorded(event)) for event in a_life()]
    then, now = project(None, life[:2]), project(None, life)
    assert then
    assert then.state
    assert now
    assert now.state
    assert (then.version, now.version) == (2, 4)
    assert set(then.state.details.values()) == set(now.state.details.values()) == {None}


def test_program_is_marked_with_and_without_the_key() -> None:
    event = a_life()[0]
    metadata = event.metadata.model_copy(update={"actor": EventActor(sub="planner", is_program=True)})
    for made, is_program in ((event, False), (event.model_copy(update={"metadata": metadata}), True)):
        stored = recorded(made)
        assert (b"is_program" in stored.state) == is_program
        for key in (KEY, None):
            assert MAPPER.to_domain_event(with_key(stored, key)).metadata.actor.is_program == is_program


def test_unknown_field_is_encrypted() -> None:
    event = a_life()[0]
    assert isinstance(event, Registered)
    event = event.model_copy(update={"details": {**event.details, "nickname": f"{MARK} Appu"}})
    stored = json.loads(plaintext_part(recorded(event).state))
    assert stored["details"]["nickname"] is None


def test_ciphertext_is_bound_to_stream_version_and_key() -> None:
    stored = recorded(a_life()[1])
    foreign = Key(KEY.id, Key.new().secret)
    for moved in (
        with_key(replace(stored, originator_id="driver:EMP-2")),
        with_key(replace(stored, originator_version=3)),
        with_key(stored, foreign),
        with_key(stored, Key.new()),
    ):
        assert unreadable(moved) == "its ciphertext was altered"


def test_altered_ciphertext_is_unreadable() -> None:
    stored = recorded(a_life()[2])
    for at in range(len(plaintext_part(stored.state)) + 1, len(stored.state)):
        changed = bytearray(stored.state)
        changed[at] ^= 1 << at % 8
        assert unreadable(with_key(replace(stored, state=bytes(changed)))) == "its ciphertext was altered"


@pytest.mark.parametrize("key", [KEY, None], ids=["with the key", "without it"])
@given(st.data())
def test_truncated_state_is_unreadable(key: Key | None, data: st.DataObject) -> None:
    stored = recorded(data.draw(st.sampled_from(a_life())))
    # Without the key the ciphertext is not read; tamper evidence covers it.
    whole = stored.state if key else plaintext_part(stored.state)
    length = data.draw(st.integers(0, len(whole) - 1))
    unreadable(with_key(replace(stored, state=stored.state[:length]), key))


@pytest.mark.parametrize("key", [KEY, None], ids=["with the key", "without it"])
@given(
    st.sampled_from(a_life()),
    st.binary()
    | st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ).map(lambda value: json.dumps(value)[1:].encode())
    | st.sampled_from([b'"metadata":1}', b'"metadata":{"actor":[]}}', b'"metadata":{"actor":{"sub":1}}}'])
    | st.just(b'"metadata":' + b"[" * 10_000),
)
def test_garbage_with_the_encrypted_prefix_is_unreadable(
    key: Key | None, event: Event, garbage: bytes
) -> None:
    state = ENCRYPTED_PREFIX + KEY.id.encode() + b'",' + garbage
    unreadable(with_key(replace(recorded(event), state=state), key))
    unreadable(with_key(replace(recorded(event), state=ENCRYPTED_PREFIX + garbage), key))
