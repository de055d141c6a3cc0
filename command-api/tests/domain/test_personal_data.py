"""Personal data is not published."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import EventActor, EventMetadata
from command_api.domain.marks import PersonalData, marks
from command_api.domain.publication import (
    NotPublic,
    PublicationPolicy,
    personal_in,
    public_payload,
    public_record,
)

METADATA = EventMetadata(
    actor=EventActor(sub="dev|asha", name="Asha Menon"),
    request_id="r1",
    client_request_id="ravi-1",
    reason="on a whim",
    fingerprint="f",
)
FREE_TEXT = PublicationPolicy(free_text=True)


def test_every_driver_field_but_the_id_is_personal() -> None:
    definition = DEFINITIONS["driver"]
    assert definition.personal == set(definition.fields)


def test_owners_and_free_text_are_personal() -> None:
    assert DEFINITIONS["horse"].personal == {"owner", "metadata", "description"}
    assert DEFINITIONS["trailer"].personal == {
        "owner_name",
        "data",
        *(f"description_{number}" for number in range(1, 6)),
    }


def test_public_event_masks_personal_fields() -> None:
    driver = Aggregate(DEFINITIONS["driver"], "EMP-1")
    payload = public_payload(driver.register(dict(DEFINITIONS["driver"].example), METADATA))

    assert payload["details"] == {}
    assert "bank_account_number" in payload["masked"]
    assert payload["actor"] is None
    assert payload["request_id"] == "r1"
    text = str(payload)
    assert not any(value in text for value in DEFINITIONS["driver"].example.values() if value)
    assert "Asha" not in text
    assert "whim" not in text
    assert "ravi" not in text


def test_a_public_change_shows_what_is_declared_public() -> None:
    trailer = Aggregate(DEFINITIONS["trailer"], "TRL-1")
    from_ = {**DEFINITIONS["trailer"].example, "status": "RUNNING", "owner_name": "A"}
    registered = trailer.register(from_, METADATA)

    changed = trailer.after(registered, datetime.now(UTC)).change(
        {**from_, "status": "Maintenance", "owner_name": "B", "identifier": "7"}, METADATA
    )
    assert changed is not None

    payload = public_payload(changed)

    assert payload["changes"] == {"status": {"from": "RUNNING", "to": "Maintenance"}}
    assert payload["masked"] == ["identifier", "owner_name"]


def test_free_text_is_public_only_if_the_instance_publishes_it() -> None:
    trailer = Aggregate(DEFINITIONS["trailer"], "TRL-1")
    payload = public_payload(trailer.register(dict(DEFINITIONS["trailer"].example), METADATA), FREE_TEXT)

    trailer_definition = DEFINITIONS["trailer"]
    masked = set(trailer_definition.fields) - trailer_definition.public.keys() - trailer_definition.free_text
    assert masked >= {"identifier", "trailer_registration_number", "owner_name", "name_of_country"}
    assert set(payload["masked"]) == masked
    assert payload["details"].keys() == DEFINITIONS["trailer"].example.keys() - masked


def test_drivers_have_no_free_text() -> None:
    driver = Aggregate(DEFINITIONS["driver"], "EMP-1")
    payload = public_payload(driver.register(dict(DEFINITIONS["driver"].example), METADATA), FREE_TEXT)

    assert payload["details"] == {}


def test_unknown_field_is_masked_and_personal() -> None:
    horse = Aggregate(DEFINITIONS["horse"], "HRS-1")
    registered = horse.register({"hired": "Yes", "groom": "Ravi"}, METADATA)
    payload = public_payload(registered)

    assert payload["details"] == {"hired": "Yes"}
    assert payload["masked"] == ["groom"]
    assert personal_in(registered) == ["groom"]


def test_event_with_an_unsafe_field_name_is_not_public() -> None:
    horse = Aggregate(DEFINITIONS["horse"], "HRS-1")
    with pytest.raises(NotPublic):
        public_payload(horse.register({"Ravi Kumar's horse": "yes"}, METADATA))


@pytest.mark.parametrize("entity", DEFINITIONS)
@pytest.mark.parametrize("publish_free_text", [False, True])
def test_public_record_has_the_fields_of_public_events_and_its_times(
    *, entity: str, publish_free_text: bool
) -> None:
    aggregate = Aggregate(DEFINITIONS[entity], "ID-1")
    registered = aggregate.register(dict(DEFINITIONS[entity].example), METADATA)
    state = aggregate.after(registered, datetime.now(UTC)).state
    assert state

    shown = public_record(entity, state.record(), PublicationPolicy(publish_free_text))

    times = {"created_at", "updated_at"} & state.record().keys()
    details = public_payload(registered, PublicationPolicy(publish_free_text))["details"]
    assert shown == {"id": "ID-1", **details, **{name: state.record()[name] for name in times}}


def test_nested_models_have_no_marks_of_personal_data() -> None:
    """Marks in nested models would have no effect."""

    def nested(model: Any) -> list[type[BaseModel]]:
        kinds = (field.annotation for field in model.model_fields.values())
        found = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        return found + [inner for kind in found for inner in nested(kind)]

    models = [model for definition in DEFINITIONS.values() for model in nested(definition.details)]
    assert models
    assert not any(marks(model, PersonalData) for model in models)
