"""Golden files of every shape of events: stored events stay readable.

The last release that wrote a form wrote its file; states of encrypted events are in base64. Files are never
changed or removed.
"""

import json
from base64 import b64decode
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest

from command_api.domain.aggregate import Aggregate, project
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.event_store.mapper import MAPPER, UnreadableEvent
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.keys import Key

GOLDEN: Final = Path(__file__).parents[1] / "golden"
VERSIONS: Final = (1, 2)
SEALED_VERSIONS: Final = (1, 2)
KEY: Final = Key("A" * 22, bytes(range(32)))


def stored(version: int, *, is_sealed: bool = False, key: Key | None = None) -> list[RecordedEvent]:
    name, decoded = ("sealed", b64decode) if is_sealed else ("stored", str.encode)
    lines = (GOLDEN / f"{name}_v{version}.jsonl").read_text().splitlines()
    events = [
        RecordedEvent(
            line["originator_id"],
            line["originator_version"],
            line["topic"],
            decoded(line["state"]),
            position,
            datetime.fromisoformat(line["moment"]),
        )
        for position, line in enumerate(map(json.loads, lines), start=1)
    ]
    for event in events:
        event.unlock(key)
    return events


def replayed(events: list[RecordedEvent]) -> dict[str, Aggregate | None]:
    streams = {event.originator_id for event in events}
    return {
        stream: project(
            None, [MAPPER.to_domain_event(event) for event in events if event.originator_id == stream]
        )
        for stream in sorted(streams)
    }


def said(event: Event) -> Any:
    """Return details or changes."""
    match event:
        case Registered():
            return event.details
        case DetailsChanged():
            return event.changes
    return None


def test_golden_files_cover_every_version() -> None:
    names = [*(f"sealed_v{n}.jsonl" for n in SEALED_VERSIONS), *(f"stored_v{n}.jsonl" for n in VERSIONS)]
    assert sorted(path.name for path in GOLDEN.glob("*.jsonl")) == names
    assert Event.class_version == VERSIONS[-1]


@pytest.mark.parametrize("version", VERSIONS)
def test_events_of_every_version_replay_to_the_same_entities(version: int) -> None:
    then, now = replayed(stored(version)), replayed(stored(VERSIONS[-1]))
    assert then == now
    assert [aggregate and aggregate.version for aggregate in then.values()] == [4] * 4


def test_current_events_are_stored_unchanged() -> None:
    for event in stored(VERSIONS[-1]):
        again = MAPPER.to_stored_event(MAPPER.to_domain_event(event))
        assert RecordedEvent.of(again, event.position, event.moment) == event


def test_only_an_undo_is_stored_with_undoes() -> None:
    event = MAPPER.to_domain_event(stored(VERSIONS[-1])[1])
    undo = event.model_copy(update={"metadata": event.metadata.model_copy(update={"undoes": 1})})
    assert b"undoes" not in MAPPER.to_stored_event(event).state
    again = MAPPER.to_stored_event(undo)
    assert b'"undoes":1' in again.state
    assert MAPPER.to_domain_event(again) == undo
    sealed = MAPPER.to_stored_event(undo, KEY)
    assert MAPPER.to_domain_event(sealed).metadata.undoes == 1, "readable without the key"


@pytest.mark.parametrize("version", SEALED_VERSIONS)
def test_encrypted_events_of_every_form_replay_with_the_key(version: int) -> None:
    assert replayed(stored(version, is_sealed=True, key=KEY)) == replayed(stored(VERSIONS[-1]))


def test_encrypted_events_of_every_form_replay_without_the_key() -> None:
    first, *others = (replayed(stored(version, is_sealed=True)) for version in SEALED_VERSIONS)
    assert all(other == first for other in others)


def test_current_events_are_encrypted_unchanged() -> None:
    for event in stored(SEALED_VERSIONS[-1], is_sealed=True, key=KEY):
        again = MAPPER.to_stored_event(MAPPER.to_domain_event(event), KEY)
        assert again.state == event.state


def test_upcast_event_is_equal_except_for_its_request_id() -> None:
    for old, new in zip(stored(1), stored(2), strict=True):
        before, after = MAPPER.to_domain_event(old), MAPPER.to_domain_event(new)
        assert said(before) == said(after)
        assert (before.type, before.moment) == (after.type, after.moment)
        assert (before.metadata.request_id, before.metadata.client_request_id) == (None, "planner-7 tablet")
        assert before.metadata == after.metadata.model_copy(update={"request_id": None})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"schema_version":1', b'"schema_version":0'),
        (b'"schema_version":1', b'"schema_version":3'),
        (b'"schema_version":1', b'"schema_version":"1"'),
        (b'"request_id"', b'"its_request_id"'),
        (b'"metadata":{', b'"metadata":[{'),
        (b'{"schema_version":1', b'[{"schema_version":1'),
    ],
)
def test_state_of_an_unknown_version_is_unreadable(before: bytes, after: bytes) -> None:
    event = stored(1)[0]
    assert before in event.state
    bad = replace(event, state=event.state.replace(before, after, 1))
    with pytest.raises(UnreadableEvent) as raised:
        MAPPER.to_domain_event(bad)
    assert "Ravi" not in str(raised.value)
