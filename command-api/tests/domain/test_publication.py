"""Only declared values are public, and no free text."""

import re
from dataclasses import replace

import pytest
from command_api_testing.contexts import METADATA, MOMENT

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.marks import PublicDay, PublicNumber, PublicWord
from command_api.domain.publication import (
    FIELD_NAME,
    KEY_BYTES,
    Pseudonyms,
    PublicationPolicy,
    public_payload,
)
from command_api.event_store.mapper import MAPPER
from ops.base.records.entities import entity_type

TEXTS = ("", " ", "Asha", "KA01AB1234", "9" * 12, "2026-11-21T00:00:00", "2026-02-30", "available")


def test_only_released_fields_that_are_not_personal_are_public() -> None:
    for name, definition in DEFINITIONS.items():
        assert definition.public.keys() <= entity_type(name).harmless
        assert not definition.public.keys() & definition.personal
    assert not DEFINITIONS["driver"].public


def test_names_of_declared_fields_are_public() -> None:
    names = [name for definition in DEFINITIONS.values() for name in definition.fields]
    assert [name for name in names if not re.fullmatch(FIELD_NAME, name, re.ASCII)] == []


@pytest.mark.parametrize("mark", [PublicNumber(), PublicDay(), PublicWord(("Available", "In Use"))])
def test_marks_show_no_free_text(mark: PublicNumber | PublicDay | PublicWord) -> None:
    assert not any(map(mark.shows, [*TEXTS, True, ["Available"], {"Available": "Available"}]))
    assert mark.shows(None)


def test_marks_show_their_values() -> None:
    assert PublicNumber().shows(40.5)
    assert PublicDay().shows("2026-02-28")
    assert PublicWord(("Available",)).shows("Available")


def test_change_from_a_public_word_to_another_text_shows_the_word_only() -> None:
    trailer = Aggregate(DEFINITIONS["trailer"], "TRL-1")
    details = {**trailer.definition.blank_details(), "identifier": "7", "status": "Maintenance"}
    registered = trailer.register(details, METADATA)
    state = trailer.after(registered, MOMENT)
    changed = state.change({"status": "at Ravi's"}, METADATA)
    assert changed

    payload = public_payload(changed)

    assert payload["changes"] == {"status": {"from": "Maintenance"}}
    assert payload["masked"] == ["status"]


def test_actor_is_published_as_a_keyed_pseudonym() -> None:
    removed = Aggregate(DEFINITIONS["driver"], "EMP-1").register({}, METADATA)
    one, other = (
        public_payload(removed, PublicationPolicy(pseudonyms=Pseudonyms(key * KEY_BYTES)))["actor"]["id"]
        for key in (b"1", b"2")
    )
    assert one != other
    assert one == Pseudonyms(b"1" * KEY_BYTES).of("dev|asha")
    assert one != Pseudonyms(b"1" * KEY_BYTES).of("dev|rohan")
    assert len(one) == 32
    with pytest.raises(ValueError, match="at least 32 bytes"):
        Pseudonyms(b"short")


def test_request_ids_of_old_events_are_not_published() -> None:
    event = Aggregate(DEFINITIONS["driver"], "EMP-1").register({}, METADATA)
    stored = MAPPER.to_stored_event(event)
    state = stored.state.replace(b'"schema_version":2', b'"schema_version":1')
    old = MAPPER.to_domain_event(replace(stored, state=state))
    assert public_payload(event)["request_id"] == "r1"
    assert public_payload(old)["request_id"] is None
