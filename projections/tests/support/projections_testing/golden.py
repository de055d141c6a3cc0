"""Examples of everything that is published, kept as files: `golden/TYPE/EXAMPLE-N.json`.

Files are only ever added: where today's code makes something else than the last file of an example, `python
-m projections_testing.golden` (in `projections/tests/support`) adds the next one. The earlier ones are what
consumers may still come across.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import (
    DeliveryGivenUp,
    DeliveryResumed,
    Event,
    EventActor,
    EventMetadata,
    Merged,
    PossibleDuplicateDismissed,
    ReminderAcknowledged,
    event_classes,
)
from command_api.domain.publication import Pseudonyms, PublicationPolicy
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from projections.revisions.revision import revise
from projections_testing.published import published
from read_model.public_events.envelope import Origin, state_type, type_of

FOLDER: Final = Path(__file__).parents[2] / "golden"

_ORIGIN: Final = Origin("5b0c8e1f3d7a49269c1e84f0a2d6b7c3", "https://fleet.example")
_BEGIN: Final = datetime(2026, 11, 21, 4, 10, 45, 123_456, tzinfo=UTC)
_PSEUDONYMS: Final = Pseudonyms(b"an example's key of 32 bytes or more")
_METADATA: Final = EventMetadata(
    actor=EventActor(sub="dev|asha", name="Asha Menon"),
    request_id="3f2a9c4e7b1d4f6f8a0b5c6d7e8f9a0b",
    traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    reason="as told on the telephone",
    fingerprint="f" * 64,
)
_TRAILER_LAST: Final = ("description_1", "data")
_TEXTS: Final = ("name", "address_1", "city", "country", "mobile_number_1", "email_address", "father_name")
_DETAILS: Final[dict[str, dict[str, Any]]] = {
    "driver": {**DEFINITIONS["driver"].blank_details(), **{name: f"a driver's {name}" for name in _TEXTS}},
    "trailer": {
        **{name: one for name, one in DEFINITIONS["trailer"].example.items() if name not in _TRAILER_LAST},
        "owner_name": "an owner",
        "capacity_tons": 40.5,
        **dict.fromkeys(("registered_at", *(f"description_{number}" for number in range(2, 6)))),
        "description_1": "Hydraulic ramps",
        "data": {"currentLocation": "Hosur"},
    },
    "horse": {**DEFINITIONS["horse"].example, "owner": "an owner", "description": None},
    "location": {
        **DEFINITIONS["location"].example,
        "attributes": {**DEFINITIONS["location"].example["attributes"], "status": None},
    },
    **{name: dict(DEFINITIONS[name].example) for name in ("subscription", "assignment")},
}
_CHANGES: Final[dict[str, dict[str, Any]]] = {
    "driver": {"city": "another city"},
    "trailer": {"status": "MAINTENANCE", "owner_name": "another owner", "description_1": "Brakes seen to"},
    "horse": {"hired": "Yes", "metadata": {}},
    "location": {"lat": -12.5, "attributes": {**_DETAILS["location"]["attributes"], "capacity": "two halls"}},
    "subscription": {"status": "paused", "url": "https://hooks.example.com/other", "secret_generation": 2},
    "assignment": {"ends_at": None, "trailers": [], "note": "Until further notice"},
}
_IDS: Final = {
    "driver": "EMP-0042",
    "trailer": "TRL-7G4K9QXM",
    "horse": "HRS-3W8N1ZTB",
    "location": "LOC-5D2R",
    "subscription": "SUB-4M7Q2XKD",
    "assignment": "ASG-9K3V5RXB",
}


def examples() -> dict[tuple[str, str], str]:
    """Return the examples of the current code by type and name."""
    found: dict[tuple[str, str], str] = {}
    for entity in DEFINITIONS:
        masked = _story(entity, PublicationPolicy(pseudonyms=_PSEUDONYMS))
        shown = _story(entity, PublicationPolicy(free_text=True, pseudonyms=_PSEUDONYMS))
        found |= {(name, "masked"): _text(reported) for name, reported in masked.items()}
        found |= {
            (name, "free-text"): _text(reported)
            for name, reported in shown.items()
            if reported != masked[name]
        }
        found |= {(name, "undo"): _text(reported) for name, reported in _undos(entity).items()}
        if Merged in event_classes(entity):
            found |= {(name, "masked"): _text(reported) for name, reported in _merge(entity).items()}
    for event in _events_of_one_type():
        aggregate = Aggregate(DEFINITIONS[event.entity], event.entity_id)
        aggregate = aggregate.after(aggregate.register(_DETAILS[event.entity], _METADATA), _BEGIN)
        name, reported = _reported(aggregate, event, 2, _BEGIN)
        found[name, "masked"] = _text(reported)
    return found


def _events_of_one_type() -> list[Event]:
    """Return the events that only some entity types have."""
    driver, horse, trailer, subscription = (
        {"originator_id": f"{name}:{_IDS[name]}", "originator_version": 2, "metadata": _METADATA}
        for name in ("driver", "horse", "trailer", "subscription")
    )
    return [
        *(PossibleDuplicateDismissed(**one, other="B-7", dismissed=True) for one in (driver, horse, trailer)),
        ReminderAcknowledged(**driver, document="licence", until=_BEGIN.date()),
        DeliveryGivenUp(**subscription, position=7),
        DeliveryResumed(**subscription, position=7),
    ]


def kept() -> dict[tuple[str, str], list[Path]]:
    """Return the files in order of their numbers, by type and name of the example."""
    found: dict[tuple[str, str], list[Path]] = {}
    for path in sorted(FOLDER.glob("*/*.json"), key=lambda path: (path.parent.name, _number(path))):
        found.setdefault((path.parent.name, path.stem.rpartition("-")[0]), []).append(path)
    return found


def add_missing_examples() -> list[Path]:
    """Write a file for each example that differs from its latest file."""
    added = []
    for (type_name, name), text in examples().items():
        before = kept().get((type_name, name), [])
        if not before or before[-1].read_text() != text:
            path = FOLDER / type_name / f"{name}-{_number(before[-1]) + 1 if before else 1}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            added.append(path)
    return added


def _story(entity: str, publishing: PublicationPolicy) -> dict[str, Any]:
    """Return the public events and states of a complete history, by type."""
    story = {}
    aggregate = Aggregate(DEFINITIONS[entity], _IDS[entity])
    first = 100 * (1 + list(_IDS).index(entity))
    for step in range(9):
        position, moment = first + step, _BEGIN + timedelta(seconds=first + step)
        event = _decide(aggregate, step)
        stored = (
            RecordedEvent.of(MAPPER.to_stored_event(event), position, moment)
            if event
            else RecordedEvent(
                aggregate.definition.stream(aggregate.id), 4, "no event", b"{", position, moment
            )
        )
        revision, _ = revise(aggregate.state, stored, publishing)
        reported = published(revision)
        story[type_of(reported)] = json.loads(_ORIGIN.structured(reported))
        aggregate = aggregate.after(event, moment) if event else aggregate
        if step == 0 and revision.public_state:
            story[state_type(aggregate.definition.entity_type)] = json.loads(revision.public_state)
    return story


def _undos(entity: str) -> dict[str, Any]:
    """Return the public events of undo operations, by type."""
    aggregate, undos = Aggregate(DEFINITIONS[entity], _IDS[entity]), {}
    undoing = _METADATA.model_copy(update={"undoes": 1})
    for step in range(3):
        event, moment = _decide(aggregate, step, undoing), _BEGIN + timedelta(seconds=step)
        assert event is not None
        name, undos[name] = _reported(aggregate, event, 1 + step, moment)
        aggregate = aggregate.after(event, moment)
    return undos


def _merge(entity: str) -> dict[str, Any]:
    """Return the public events of a merge, by type."""
    definition = DEFINITIONS[entity]
    survivor, other = (Aggregate(definition, entity_id) for entity_id in (_IDS[entity], f"{_IDS[entity]}-2"))
    survivor, other = (
        one.after(one.register(_DETAILS[entity], _METADATA), _BEGIN) for one in (survivor, other)
    )
    removed, merged = survivor.merge(_CHANGES[entity], other, _METADATA)
    pairs = ((other, removed, 3), (survivor, merged, 4))
    return dict(_reported(one, event, position, _BEGIN) for one, event, position in pairs)


def _reported(aggregate: Aggregate, event: Event, position: int, moment: datetime) -> tuple[str, Any]:
    """Return the type and the public form of an event."""
    stored = RecordedEvent.of(MAPPER.to_stored_event(event), position, moment)
    reported = published(revise(aggregate.state, stored, PublicationPolicy(pseudonyms=_PSEUDONYMS))[0])
    return type_of(reported), json.loads(_ORIGIN.structured(reported))


def _decide(aggregate: Aggregate, step: int, metadata: EventMetadata = _METADATA) -> Event | None:
    """Return the event of a step, or None for an unreadable event."""
    name, day = aggregate.definition.name, _BEGIN.date()
    another = EventActor(sub="dev|ingrid", name="Ingrid Solberg")
    steps: tuple[Callable[[], Event | None], ...] = (
        lambda: aggregate.register(_DETAILS[name], metadata),
        lambda: aggregate.change(_CHANGES[name], metadata),
        lambda: aggregate.remove(metadata),
        lambda: None,
        lambda: aggregate.restrict("asked", day, metadata),
        lambda: aggregate.hold(day, metadata),
        lambda: aggregate.lift(metadata),
        lambda: aggregate.restrict("purpose-served", day, metadata),
        lambda: aggregate.erase(day, metadata.model_copy(update={"actor": another})),
    )
    return steps[step]()


def _text(reported: Any) -> str:
    return json.dumps(reported, ensure_ascii=False, indent=2) + "\n"


def _number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


if __name__ == "__main__":
    for file in add_missing_examples():
        print(f"added {file.relative_to(FOLDER)}")
