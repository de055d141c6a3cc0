"""Golden files of stored events: they stay readable, also in older shapes.

The first release that wrote a shape wrote its file; states of encrypted events are in base64. Files are never
changed or removed.
"""

import json
from base64 import b64decode
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest

from command_api.domain.aggregate import Aggregate, project
from command_api.domain.catalogue import EVENT_CLASSES
from command_api.domain.events import Event
from command_api.event_store.mapper import MAPPER, UnreadableEvent
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.keys import Key

GOLDEN: Final = Path(__file__).parents[1] / "golden"
KEY: Final = Key("A" * 22, bytes(range(32)))


def stored(*, is_sealed: bool = False, key: Key | None = None) -> list[RecordedEvent]:
    name, decoded = ("sealed", b64decode) if is_sealed else ("stored", str.encode)
    lines = (GOLDEN / f"{name}_v{Event.class_version}.jsonl").read_text().splitlines()
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


def test_current_events_are_stored_unchanged() -> None:
    for event in stored():
        again = MAPPER.to_stored_event(MAPPER.to_domain_event(event))
        assert RecordedEvent.of(again, event.position, event.moment) == event


def test_encrypted_events_replay_to_the_same_entities() -> None:
    replays = replayed(stored(is_sealed=True, key=KEY))
    assert replays == replayed(stored())
    assert [aggregate and aggregate.version for aggregate in replays.values()] == [4] * 4


def test_current_events_are_encrypted_unchanged() -> None:
    for event in stored(is_sealed=True, key=KEY):
        again = MAPPER.to_stored_event(MAPPER.to_domain_event(event), KEY)
        assert again.state == event.state


class Renamed(Event):
    """An event of tests; version 1 called its name `label`."""

    kind: ClassVar = "renamed"
    name: str

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        state["name"] = state.pop("label")


def renamed(name: str, version: Any) -> RecordedEvent:
    first = stored()[0]
    state = {**json.loads(first.state), "schema_version": version, name: "Ravi"}
    state.pop("details")
    return replace(
        first, topic=f"{first.originator_id.partition(':')[0]}.renamed", state=json.dumps(state).encode()
    )


def test_event_of_an_older_shape_is_upcast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EVENT_CLASSES, Renamed.kind, Renamed)
    assert MAPPER.to_domain_event(renamed("label", 1)) == MAPPER.to_domain_event(renamed("name", 2))


@pytest.mark.parametrize(("name", "version"), [("label", 0), ("name", 3), ("label", "1"), ("name", 1)])
def test_state_of_an_unknown_version_is_unreadable(
    monkeypatch: pytest.MonkeyPatch, name: str, version: Any
) -> None:
    monkeypatch.setitem(EVENT_CLASSES, Renamed.kind, Renamed)
    with pytest.raises(UnreadableEvent) as raised:
        MAPPER.to_domain_event(renamed(name, version))
    assert "Ravi" not in str(raised.value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"schema_version":2', b'"schema_version":1'),
        (b'"request_id"', b'"its_request_id"'),
        (b'"metadata":{', b'"metadata":[{'),
        (b'{"schema_version":2', b'[{"schema_version":2'),
    ],
)
def test_state_of_another_shape_is_unreadable(before: bytes, after: bytes) -> None:
    event = stored()[0]
    assert before in event.state
    bad = replace(event, state=event.state.replace(before, after, 1))
    with pytest.raises(UnreadableEvent) as raised:
        MAPPER.to_domain_event(bad)
    assert "Ravi" not in str(raised.value)
