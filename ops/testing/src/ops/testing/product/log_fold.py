"""The log's events added up once more, as simply as can be."""

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

import psycopg
from psycopg.rows import class_row

from ops.base.encryption.states import key_id_of
from ops.testing.product.exchanges import SHOW_TIMES
from ops.testing.product.fields import FIELDS
from ops.testing.product.json_values import canonical
from ops.testing.product.opening import Opener

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

    def opened(self, opener: Opener) -> "Event":
        """Return it in the clear."""
        return replace(self, state=opener.state(self.state, self.stream, self.version))


@dataclass
class Stream:
    """What one entity's events add up to."""

    version: int = 0
    position: int = 0
    record: dict[str, Any] | None = None
    """None: nothing is registered."""


@dataclass
class Fold:
    """What the whole log adds up to."""

    streams: dict[tuple[str, str], Stream] = field(default_factory=dict)
    """By entity type and id."""
    revisions: list[dict[str, Any]] = field(default_factory=list)
    """For each event what `read.revisions` must tell of it; less, and no state, of who was erased."""

    @property
    def head(self) -> int:
        """The last position."""
        return len(self.revisions)

    def add(self, event: Event) -> None:
        """Add the next event; it must follow from those before it."""
        assert event.position == self.head + 1, "positions are dense"
        assert self.head == 0 or event.moment >= self.revisions[-1]["moment"], "time order is position order"
        entity, _, entity_id = event.stream.partition(":")
        stream = self.streams.setdefault((entity, entity_id), Stream())
        assert event.version == stream.version + 1, f"versions of {event.stream} are dense"
        if key_id_of(event.state) is not None:
            self._add_forgotten(event, entity, entity_id)
            return
        stored = json.loads(event.state)
        after: dict[str, Any] | None = None
        changes: list[dict[str, Any]] = []
        match event.topic.removeprefix(f"{entity}."):
            case "registered":
                assert stream.record is None, f"{event.stream} is registered already"
                after, changes = _registered(entity, entity_id, stored["details"], event.moment)
            case "details_changed":
                assert stream.record is not None, f"{event.stream} is not registered"
                after, changes = _changed(entity, stream.record, stored["changes"], event.moment)
            case "restricted" | "hold_set" | "restriction_lifted":
                after = stream.record  # nothing that anybody may change meanwhile
            case "erased":
                pass
            case kind:
                assert (kind, stream.record is None) == ("removed", False), event.stream
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

    def _add_forgotten(self, event: Event, entity: str, entity_id: str) -> None:
        """Add an event that nobody can open any more: of whom an event that follows must erase."""
        self.streams[entity, entity_id] = Stream(event.version, event.position)
        told = {"position": event.position, "type": event.topic, "moment": event.moment}
        self.revisions.append(told | {"entity": entity, "entity_id": entity_id, "version": event.version})

    def assert_erased(self) -> None:
        """Check that of nobody else what was sealed is lost."""
        erased = set()
        for revision in reversed(self.revisions):
            place = revision["entity"], revision["entity_id"]
            if revision["type"].endswith(".erased"):
                erased.add(place)
            assert "state" in revision or place in erased, f"nobody can open {place}"


def fold_log(connection: psycopg.Connection, opener: Opener, known: Fold) -> Fold:
    """Read the log and add it up.

    Args:
        connection: with the owner's rights.
        opener: opens encrypted events.
        known: what the log added up to before; it is continued, unless records were erased.
    """
    with connection.cursor(row_factory=class_row(Event)) as cursor:
        events = cursor.execute(EVENTS, (known.head,)).fetchall()
        topics = [*(one["type"] for one in known.revisions), *(event.topic for event in events)]
        # The key of an erased record is destroyed at any time after the event.
        if known.head and any(topic.endswith(".erased") for topic in topics):
            known = Fold()
            events = cursor.execute(EVENTS, (0,)).fetchall()
    opener.load(key_id_of(event.state) for event in events)
    for event in events:
        known.add(event.opened(opener))
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
    assert stored, "an event says what changed"
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
