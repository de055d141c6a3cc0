"""An independent, simple fold of the log's events."""

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

import psycopg
from psycopg.rows import class_row

from ops.base.encryption.states import key_id_of
from ops.testing.product.decryption import Decrypter
from ops.testing.product.exchanges import SHOW_TIMES, canonical
from ops.testing.product.fields import FIELDS

EVENTS: Final = """
SELECT notification_id AS position, originator_id AS stream, originator_version AS version,
       topic, state, moment
FROM log.events WHERE notification_id > %s ORDER BY notification_id
"""


@dataclass(frozen=True)
class Event:
    """A row of `log.events`."""

    position: int
    stream: str
    version: int
    topic: str
    state: bytes
    moment: datetime

    def decrypted(self, decrypter: Decrypter) -> "Event":
        return replace(self, state=decrypter.state(self.state, self.stream, self.version))


@dataclass
class Stream:
    """The current state of one entity."""

    version: int = 0
    position: int = 0
    record: dict[str, Any] | None = None
    """None: not registered."""


@dataclass
class Fold:
    """The state after all events."""

    streams: dict[tuple[str, str], Stream] = field(default_factory=dict)
    """By entity type and id."""
    revisions: list[dict[str, Any]] = field(default_factory=list)
    """The expected row of `read.revisions` for each event; events of erased records have fewer members."""

    @property
    def head(self) -> int:
        return len(self.revisions)

    def add(self, event: Event) -> None:
        """Apply the next event, which must be valid after the events before it."""
        assert event.position == self.head + 1, "positions are dense"
        assert self.head == 0 or event.moment >= self.revisions[-1]["moment"], "time order is position order"
        entity, _, entity_id = event.stream.partition(":")
        stream = self.streams.setdefault((entity, entity_id), Stream())
        assert event.version == stream.version + 1, f"versions of {event.stream} are dense"
        if key_id_of(event.state) is not None:
            self._add_encrypted(event, entity, entity_id)
            return
        stored = json.loads(event.state)
        after: dict[str, Any] | None = None
        changes: list[dict[str, Any]] = []
        match event.topic.removeprefix(f"{entity}."):
            case "registered":
                assert stream.record is None, f"{event.stream} is registered already"
                after, changes = _registered(entity, entity_id, stored["details"], event.moment)
            case "details_changed" | "merged":
                assert stream.record is not None, f"{event.stream} is not registered"
                after, changes = _changed(entity, stream.record, stored["changes"], event.moment)
            case (
                "restricted"
                | "hold_set"
                | "restriction_lifted"
                | "reminder_acknowledged"
                | "possible_duplicate_dismissed"
                | "delivery_given_up"
                | "delivery_resumed"
            ):
                after = stream.record  # these commands change none of its details
            case "erased":
                pass
            case kind:
                assert kind in {"removed", "merged_into"}, event.stream
                assert stream.record is not None, event.stream
        self.streams[entity, entity_id] = Stream(event.version, event.position, after)
        self.revisions.append(
            {
                "position": event.position,
                "entity": entity,
                "entity_id": entity_id,
                "version": event.version,
                "type": event.topic,
                "moment": event.moment,
                "actor_sub": stored["metadata"]["actor"]["sub"],
                "actor_name": stored["metadata"]["actor"].get("name"),
                "request_id": stored["metadata"]["request_id"],
                "client_request_id": stored["metadata"].get("client_request_id"),
                "changes": changes,
                "state": after,
            }
        )

    def _add_encrypted(self, event: Event, entity: str, entity_id: str) -> None:
        """Apply an event whose key was destroyed; a later event must erase its record."""
        self.streams[entity, entity_id] = Stream(event.version, event.position)
        known = {"position": event.position, "type": event.topic, "moment": event.moment}
        self.revisions.append(known | {"entity": entity, "entity_id": entity_id, "version": event.version})

    def assert_erased(self) -> None:
        """Check that only events of erased records are undecryptable."""
        erased = set()
        for revision in reversed(self.revisions):
            place = revision["entity"], revision["entity_id"]
            if revision["type"].endswith(".erased"):
                erased.add(place)
            assert "state" in revision or place in erased, f"events of {place} cannot be decrypted"


def fold_log(connection: psycopg.Connection, decrypter: Decrypter, known: Fold) -> Fold:
    """Read the log and return its fold.

    Args:
        connection: with the owner's rights.
        decrypter: decrypts the events.
        known: an earlier fold, which is continued unless records were erased.
    """
    with connection.cursor(row_factory=class_row(Event)) as cursor:
        events = cursor.execute(EVENTS, (known.head,)).fetchall()
        topics = [*(one["type"] for one in known.revisions), *(event.topic for event in events)]
        # The key of an erased record may be destroyed at any time after the erasure.
        if known.head and any(topic.endswith(".erased") for topic in topics):
            known = Fold()
            events = cursor.execute(EVENTS, (0,)).fetchall()
    decrypter.load(key_id_of(event.state) for event in events)
    for event in events:
        known.add(event.decrypted(decrypter))
    known.assert_erased()
    return known


def _registered(
    entity: str, entity_id: str, stored: dict[str, Any], moment: datetime
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    assert stored.keys() == FIELDS[entity].keys()
    details = {name: stored[name] for name in FIELDS[entity]}
    now = _wire_time(moment)
    times = {"created_at": now, "updated_at": now} if entity in SHOW_TIMES else {}
    changes = [
        {"field": name, "from": None, "to": value} for name, value in details.items() if value is not None
    ]
    return {"id": entity_id, **details, **times}, changes


def _changed(
    entity: str, before: dict[str, Any], stored: dict[str, Any], moment: datetime
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    for name, change in stored.items():
        assert canonical(change["from"]) == canonical(before[name])
        assert canonical(change["from"]) != canonical(change["to"])
    after = {**before, **{name: change["to"] for name, change in stored.items()}}
    if entity in SHOW_TIMES:
        after["updated_at"] = _wire_time(moment)
    return after, [
        {"field": name, "from": change["from"], "to": change["to"]} for name, change in stored.items()
    ]


def _wire_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
