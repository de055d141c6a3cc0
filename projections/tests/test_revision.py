"""The revision of every event."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from projections_testing.fleet import DETAILS, METADATA

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event
from command_api.domain.publication import PublicationPolicy
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from projections.revisions.revision import revise

IDENTIFYING = ("chassis_number", "engine_number", "identifier")
MOMENT = datetime(2026, 11, 21, 4, 10, 45, 123_999, tzinfo=UTC)
HORSE = Aggregate(DEFINITIONS["horse"], "HRS-1")


def stored(event: Event, position: int = 1) -> RecordedEvent:
    return RecordedEvent.of(MAPPER.to_stored_event(event), position, MOMENT)


def test_registration_sets_every_field_with_a_value() -> None:
    revision, state = revise(None, stored(HORSE.register(DETAILS["horse"], METADATA)))
    assert json.loads(revision.changes) == [
        {"field": "chassis_number", "from": None, "to": "MAT1"},
        {"field": "engine_number", "from": None, "to": "ISBE5.9"},
        {"field": "identifier", "from": None, "to": "Prima 4928"},
        {"field": "metadata", "from": None, "to": {"fuel": "diesel"}},
    ]
    assert revision.state
    assert state
    assert json.loads(revision.state) == state.record()
    assert json.loads(revision.state)["created_at"] == "2026-11-21T04:10:45.123Z"


def test_removal_changes_no_field_and_leaves_no_state() -> None:
    horse = HORSE.after(HORSE.register(DETAILS["horse"], METADATA), MOMENT)
    removed = horse.remove(METADATA)
    assert removed
    revision, state = revise(horse.state, stored(removed, 2))
    assert (revision.type, revision.changes, revision.state, state) == ("horse.removed", "[]", None, None)


def test_inapplicable_event_is_described_without_a_state() -> None:
    horse = HORSE.after(HORSE.register(DETAILS["horse"], METADATA), MOMENT)
    changed = horse.change({"hired": "Yes"}, METADATA)
    assert changed
    revision, state = revise(None, stored(changed, 2))
    assert json.loads(revision.changes) == [{"field": "hired", "from": None, "to": "Yes"}]
    assert (revision.actor_sub, revision.state, state) == ("dev|asha", None, None)


def payload(**members: Any) -> bytes:
    return json.dumps(
        {"schema_version": 1, "metadata": METADATA.model_dump(), "details": {}} | members
    ).encode()


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[" * 100_000,
        b'{"details": {}}',
        payload(schema_version=99),
        payload(unknown="member"),
        payload(details={"metadata": {"weight": float("nan")}}),
        payload(details={"metadata": {"weight": float("inf")}}),
        payload(details={"description": "\ud800"}),
    ],
)
def test_unreadable_event_is_described_by_the_log_columns(state: bytes) -> None:
    event = RecordedEvent("horse:HRS-1", 3, "horse.registered", state, 7, MOMENT)
    revision, after = revise(None, event)
    assert (revision.position, revision.entity, revision.entity_id) == (7, "horse", "HRS-1")
    assert (revision.version, revision.type, revision.moment) == (3, "horse.registered", MOMENT)
    assert (revision.changes, revision.state, after) == ("[]", None, None)
    assert json.loads(revision.public_event) == {
        "type": "horse.registered",
        "entity": "horse",
        "id": "HRS-1",
        "version": 3,
    }


@pytest.mark.parametrize("topic", ["", "horse", "horse.exploded", "unicorn.registered", "driver.registered"])
def test_event_of_an_unknown_topic_has_a_revision(topic: str) -> None:
    revision, _ = revise(None, RecordedEvent("horse:HRS-1", 1, topic, payload(), 1, MOMENT))
    assert (revision.type, revision.state) == (topic, None)


@pytest.mark.parametrize("stream", ["Ravi Kumar:Asha Menon", "horse:Ravi Kumar", f"horse:{'x' * 9000}", ""])
@pytest.mark.parametrize("topic", ["horse.removed", "horse.Ravi Kumar", "x" * 9000])
def test_public_event_of_an_unreadable_event_has_only_known_names(stream: str, topic: str) -> None:
    revision, _ = revise(None, RecordedEvent(stream, 1, topic, b"Ravi Kumar", 1, MOMENT))
    assert json.loads(revision.public_event) == {
        "type": topic if topic == "horse.removed" else None,
        "entity": "horse" if stream.startswith("horse:") else None,
        "id": None,
        "version": 1,
    }


def test_free_text_is_masked_unless_published() -> None:
    event = stored(HORSE.register({**DETAILS["horse"], "owner": "Ravi"}, METADATA))
    masked, _ = revise(None, event)
    published, _ = revise(None, event, PublicationPolicy(free_text=True))
    assert json.loads(masked.public_event)["masked"] == [*IDENTIFYING, "owner", "metadata", "description"]
    assert json.loads(published.public_event)["masked"] == [*IDENTIFYING, "owner"]
    assert json.loads(published.public_event)["details"]["metadata"] == {"fuel": "diesel"}
    assert masked.changes == published.changes
    assert json.loads(masked.personal or "") == ["owner", "metadata", "description"]
    assert json.loads(published.personal or "") == ["owner"]
