"""One change as its revision tells it."""

import re
from datetime import datetime
from typing import Any, Final, NamedTuple

from command_api.domain.catalogue import DEFINITIONS, TOPICS, decode
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.folding import State, apply
from command_api.domain.public import public_payload
from ops.base.entities import ID_PATTERN
from projections.log import StoredEvent
from projections.states import to_json

_ID: Final = re.compile(ID_PATTERN, re.ASCII)


class Revision(NamedTuple):
    """A row of `revisions`; the fields are its columns, in their order."""

    position: int
    entity: str
    entity_id: str
    version: int
    type: str
    moment: datetime
    actor_sub: str | None
    actor_name: str | None
    request_id: str | None
    traceparent: str | None
    reason: str | None
    changes: str
    """JSON: `[{"field", "from", "to"}]`; empty for a removal."""
    state: str | None
    """JSON: the record after the change; None after a removal, and where the event could not be folded."""
    public_event: str
    """JSON: the event without personal data."""


def revise(
    before: State | None, stored: StoredEvent, *, publish_free_text: bool = False
) -> tuple[Revision, State | None]:
    """Describe an event, whatever it is: every position has its revision.

    An event that cannot be read is described by what the log's own columns say. One that cannot be folded
    has no state, and neither has anything after it until its entity is registered again.

    Args:
        before: the stream's state before the event; None: nothing registered, or not known.
        stored: the event.
        publish_free_text: whether its public event shows free text, which may name people.

    Returns:
        Its revision, and the stream's state after it.
    """
    try:
        event = decode(stored.topic, stored.state, originator_id=stored.originator_id, version=stored.version)
        changes = to_json(changes_of(event))
        public_event = to_json(public_payload(event, publish_free_text=publish_free_text))
    except Exception:  # noqa: BLE001 - whatever it is, it lies in the event, which is told all the same
        return _describe_unread(stored), None
    after, state = None, None
    try:
        after = apply(before, event, moment=stored.moment)
        state = to_json(after.record()) if after else None
    except Exception:  # noqa: BLE001 - as above
        after = None
    return _describe(event, stored, changes, state, public_event), after


def changes_of(event: Event) -> list[dict[str, Any]]:
    """Return which fields an event set: a registration sets every detail that is not null."""
    match event:
        case Registered():
            return [
                {"field": name, "from": None, "to": value}
                for name, value in event.details.items()
                if value is not None
            ]
        case DetailsChanged():
            return [
                {"field": name, "from": change.from_, "to": change.to}
                for name, change in event.changes.items()
            ]
        case _:
            return []


def _describe(
    event: Event, stored: StoredEvent, changes: str, state: str | None, public_event: str
) -> Revision:
    metadata = event.metadata
    entity, _, entity_id = stored.originator_id.partition(":")
    return Revision(
        stored.position,
        entity,
        entity_id,
        stored.version,
        stored.topic,
        stored.moment,
        _column_text(metadata.actor.sub),
        _column_text(metadata.actor.name),
        _column_text(metadata.request_id),
        _column_text(metadata.traceparent),
        _column_text(metadata.reason),
        changes,
        state,
        public_event,
    )


def _describe_unread(stored: StoredEvent) -> Revision:
    return Revision(
        position=stored.position,
        entity=stored.entity,
        entity_id=stored.entity_id,
        version=stored.version,
        type=stored.topic,
        moment=stored.moment,
        actor_sub=None,
        actor_name=None,
        request_id=None,
        traceparent=None,
        reason=None,
        changes="[]",
        state=None,
        public_event=to_json(_public_unread(stored)),
    )


def _public_unread(stored: StoredEvent) -> dict[str, Any]:
    """Return what everybody may know of an event that cannot be read: no text but names that we gave."""
    return {
        "type": stored.topic if stored.topic in TOPICS else None,
        "entity": stored.entity if stored.entity in DEFINITIONS else None,
        "id": stored.entity_id if _ID.fullmatch(stored.entity_id) else None,
        "version": stored.version,
    }


def _column_text(text: str | None) -> str | None:
    """Return a text that PostgreSQL can hold: JSON may have NUL in it, a text column may not."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}") if text else text
