"""What is about a person stays out of what everybody may see."""

from datetime import UTC, datetime

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import EventActor, EventMetadata
from command_api.domain.public import public_payload
from command_api.http.examples import DETAILS

METADATA = EventMetadata(
    actor=EventActor(sub="dev|asha", name="Asha Menon"), request_id="r1", reason="on a whim", fingerprint="f"
)


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


def test_a_public_event_names_personal_fields_and_leaves_their_values_out() -> None:
    driver = Aggregate(DEFINITIONS["driver"], "EMP-1")
    payload = public_payload(driver.register(dict(DETAILS["driver"]), METADATA))

    assert payload["details"] == {}
    assert "bank_account_number" in payload["masked"]
    assert payload["actor"] == {"sub": "dev|asha"}
    text = str(payload)
    assert not any(value in text for value in DETAILS["driver"].values() if value)
    assert "Asha" not in text
    assert "whim" not in text


def test_a_public_change_shows_what_is_not_personal() -> None:
    trailer = Aggregate(DEFINITIONS["trailer"], "TRL-1")
    from_ = {**DETAILS["trailer"], "status": "RUNNING", "owner_name": "A"}
    registered = trailer.register(from_, METADATA)

    changed = trailer.after(registered, datetime.now(UTC)).change(
        {**from_, "status": "MAINTENANCE", "owner_name": "B"}, METADATA
    )
    assert changed is not None

    payload = public_payload(changed)

    assert payload["changes"] == {"status": {"from": "RUNNING", "to": "MAINTENANCE"}}
    assert payload["masked"] == ["owner_name"]
