"""Publication: declared values only, without personal data or free text."""

import re
from typing import Any, Final

import pytest
from command_api_testing.contexts import METADATA, MOMENT
from pydantic import BaseModel

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.marks import PersonalData, PublicDay, PublicNumber, PublicWord, marks
from command_api.domain.publication import (
    FIELD_NAME,
    KEY_BYTES,
    NotPublic,
    Pseudonyms,
    PublicationPolicy,
    personal_in,
    public_payload,
    public_record,
)
from ops.base.records.entities import entity_type

TEXTS = ("", " ", "Asha", "KA01AB1234", "9" * 12, "2026-11-21T00:00:00", "2026-02-30", "available")
PERSONAL: Final = {
    "driver": set(DEFINITIONS["driver"].fields),
    "horse": {"owner", "metadata", "description"},
    "trailer": {"owner_name", "data", *(f"description_{number}" for number in range(1, 6))},
    "location": set[str](),
    "subscription": {"name", "recipients", "url"},
    "assignment": {"note"},
}
POLICIES: Final = (PublicationPolicy(), PublicationPolicy(free_text=True))


def entity(name: str) -> Aggregate:
    return DEFINITIONS[name].unused("ID-1")


def example(name: str) -> dict[str, Any]:
    return dict(DEFINITIONS[name].example)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_only_released_fields_that_are_not_personal_are_public(name: str) -> None:
    definition = DEFINITIONS[name]
    assert definition.personal == PERSONAL[name]
    assert definition.public.keys() <= entity_type(name).harmless
    assert not definition.public.keys() & definition.personal
    assert [field for field in definition.fields if not re.fullmatch(FIELD_NAME, field, re.ASCII)] == []


def test_nested_models_have_no_marks_of_personal_data() -> None:
    """Marks in nested models would have no effect."""

    def nested(model: Any) -> list[type[BaseModel]]:
        kinds = (field.annotation for field in model.model_fields.values())
        found = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        return found + [inner for kind in found for inner in nested(kind)]

    models = [model for definition in DEFINITIONS.values() for model in nested(definition.details)]
    assert models
    assert not any(marks(model, PersonalData) for model in models)


@pytest.mark.parametrize(
    ("mark", "shown"),
    [(PublicNumber(), 40.5), (PublicDay(), "2026-02-28"), (PublicWord(("Available", "In Use")), "Available")],
)
def test_marks_show_their_values_and_no_free_text(
    mark: PublicNumber | PublicDay | PublicWord, shown: object
) -> None:
    assert not any(map(mark.shows, [*TEXTS, True, ["Available"], {"Available": "Available"}]))
    assert mark.shows(None)
    assert mark.shows(shown)


@pytest.mark.parametrize("policy", POLICIES)
def test_public_event_masks_personal_fields(policy: PublicationPolicy) -> None:
    metadata = METADATA.model_copy(update={"client_request_id": "ravi-1", "reason": "on a whim"})
    payload = public_payload(entity("driver").register(example("driver"), metadata), policy)
    assert payload["details"] == {}
    assert set(payload["masked"]) == example("driver").keys()
    assert (payload["actor"], payload["request_id"]) == (None, "r1")
    secrets = [*filter(None, example("driver").values()), "Asha", "whim", "ravi"]
    assert not any(value in str(payload) for value in secrets)


def test_public_change_shows_declared_public_values() -> None:
    before = {**example("trailer"), "status": "RUNNING", "owner_name": "A"}
    trailer = entity("trailer")
    trailer = trailer.after(trailer.register(before, METADATA), MOMENT)
    for status, shown, masked in (
        ("Maintenance", {"from": "RUNNING", "to": "Maintenance"}, {"identifier", "owner_name"}),
        ("at Ravi's", {"from": "RUNNING"}, {"identifier", "owner_name", "status"}),
    ):
        changed = trailer.change({"status": status, "owner_name": "B", "identifier": "7"}, METADATA)
        assert changed
        payload = public_payload(changed)
        assert payload["changes"] == {"status": shown}
        assert set(payload["masked"]) == masked


def test_free_text_is_public_only_if_the_instance_publishes_it() -> None:
    definition = DEFINITIONS["trailer"]
    payload = public_payload(entity("trailer").register(example("trailer"), METADATA), POLICIES[1])
    masked = set(definition.fields) - definition.public.keys() - definition.free_text
    assert masked >= {"identifier", "trailer_registration_number", "owner_name", "name_of_country"}
    assert set(payload["masked"]) == masked
    assert payload["details"].keys() == definition.example.keys() - masked


def test_unknown_field_is_masked_and_personal() -> None:
    registered = entity("horse").register({"hired": "Yes", "groom": "Ravi"}, METADATA)
    payload = public_payload(registered)
    assert (payload["details"], payload["masked"]) == ({"hired": "Yes"}, ["groom"])
    assert personal_in(registered) == ["groom"]


def test_event_with_an_unsafe_field_name_is_not_public() -> None:
    with pytest.raises(NotPublic):
        public_payload(entity("horse").register({"Ravi Kumar's horse": "yes"}, METADATA))


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("policy", POLICIES)
def test_public_record_has_the_fields_of_public_events_and_its_times(
    name: str, policy: PublicationPolicy
) -> None:
    registered = entity(name).register(example(name), METADATA)
    state = entity(name).after(registered, MOMENT).state
    assert state
    record = state.record()
    times = {time: record[time] for time in ("created_at", "updated_at") if time in record}
    details = public_payload(registered, policy)["details"]
    assert public_record(name, record, policy) == {"id": "ID-1", **details, **times}


def test_actor_is_published_as_a_keyed_pseudonym() -> None:
    registered = entity("driver").register({}, METADATA)
    one, other = (
        public_payload(registered, PublicationPolicy(pseudonyms=Pseudonyms(key * KEY_BYTES)))["actor"]["id"]
        for key in (b"1", b"2")
    )
    assert one != other
    assert one == Pseudonyms(b"1" * KEY_BYTES).of("dev|asha")
    assert one != Pseudonyms(b"1" * KEY_BYTES).of("dev|rohan")
    assert len(one) == 32
    with pytest.raises(ValueError, match="at least 32 bytes"):
        Pseudonyms(b"short")
