"""One change as its revision tells it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, LiteralString, NamedTuple

from command_api.domain.catalogue import ACTOR, DEFINITIONS, STREAMS, unreadable_topics
from command_api.domain.definition import Definition
from command_api.domain.events import DetailsChanged, Event, EventMetadata, Registered
from command_api.domain.publication import (
    DEFAULT_POLICY,
    PublicationPolicy,
    personal_in,
    public_payload,
    public_record,
)
from command_api.domain.state import State
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.keys import Key
from ops.base.http.request_context import is_own_request_id
from ops.base.records.entities import is_id
from ops.base.records.json_values import to_json
from projections.engine.states import Shown, after, opened, shown
from projections.tables.revision_texts import Circumstances, RevisionTexts, circumstances_json

_Text = str | None
_Said = tuple[_Text, _Text, _Text, _Text, _Text, _Text]
"""`actor_sub` to `reason` of a revision."""


class Revision(NamedTuple):
    """A row of `revisions`; the fields are its columns."""

    position: int
    entity: str
    entity_id: str
    version: int
    type: str
    moment: datetime
    public_event: str
    """JSON: what everybody may know of the event."""
    actor_sub: str | None = None
    actor_name: str | None = None
    request_id: str | None = None
    client_request_id: str | None = None
    """What the client called its request."""
    traceparent: str | None = None
    reason: str | None = None
    changes: str = "[]"
    """JSON: `[{"field", "from", "to"}]`; empty for a removal."""
    personal: str | None = None
    """JSON: which of the changed fields are personal; None where nobody can tell."""
    state: str | None = None
    """JSON: the record after the change; None after a removal, and where the event could not be folded."""
    public_state: str | None = None
    """JSON: what everybody may know of the state; None where that is."""
    key_id: str | None = None
    """What the event is sealed under. Where it is, the other columns hold only what is harmless: of personal
    fields no values."""
    box: bytes | None = None
    """All of it: `RevisionTexts`. None where the event is in the clear, and where its key was erased."""


JSON_COLUMNS: Final = frozenset({"public_event", "changes", "personal", "state", "public_state"})
TYPES: Final[Mapping[str, LiteralString]] = {
    "position": "int8",
    "version": "int8",
    "moment": "timestamptz",
    "box": "bytea",
}
"""Of columns that are neither text nor JSON."""


def revise(
    before: State | None, stored: RecordedEvent, publishing: PublicationPolicy = DEFAULT_POLICY
) -> tuple[Revision, State | None]:
    """Describe an event, whatever it is: every position has its revision.

    An event that cannot be read is described by what the log's own columns say. One that cannot be folded
    has no state, and neither has anything after it until its entity is registered again.

    Args:
        before: the stream's state before the event; None: nothing registered, or not known.
        stored: the event.
        publishing: what is published besides what is declared public.

    Returns:
        Its revision, and the stream's state after it.
    """
    entity, _, entity_id = stored.originator_id.partition(":")
    place = (stored.position, entity, entity_id, stored.originator_version, stored.topic, stored.moment)
    try:
        event = opened(stored)
        definition = STREAMS[entity]
        public_event = to_json(public_payload(event, publishing))
        personal = to_json(list(personal_in(event, publishing)))
        state_after, told, public_state = _after(before, stored, event, publishing)
        # In a box they are left out where they follow from the record.
        follow = stored.key_id is not None and told is not None and isinstance(event, Registered)
        changes = "" if follow else to_json(changes_of(event))
    except Exception:  # noqa: BLE001 - whatever it is, it lies in the event, which is told all the same
        return Revision(*place, to_json(_public_unread(stored))), None
    said = _circumstances(event.metadata)
    if stored.key_id is None:
        text = told.text if told else None
        return Revision(*place, public_event, *said, changes, personal, text, public_state), state_after
    box = None if stored.key is None else _box(stored, stored.key, said, told, changes)
    text = told.harmless if told else None
    shown_changes = _harmless_changes(event, definition)
    texts = (shown_changes, personal, text, public_state)
    return Revision(*place, public_event, *_harmless(said), *texts, stored.key_id, box), state_after


def _box(stored: RecordedEvent, key: Key, said: _Said, told: Shown | None, changes: str) -> bytes:
    """Return all that a revision tells, sealed."""
    _, actor_name, request_id, client_request_id, _, reason = said
    circumstances = circumstances_json(Circumstances(actor_name, request_id, client_request_id, reason))
    record = told.text.encode() if told else b""
    texts = RevisionTexts(record, changes.encode(), circumstances)
    return texts.sealed(key, stored.originator_id, stored.originator_version)


def _after(
    before: State | None, stored: RecordedEvent, event: Event, publishing: PublicationPolicy
) -> tuple[State | None, Shown | None, _Text]:
    """Return the state after an event, and how it and what is public of it are told; None: there is none."""
    try:
        state = after(before, stored, event)
        if state is None:
            return None, None, None
        told = shown(state)
        return state, told, to_json(public_record(state.entity, told.record, publishing))
    except Exception:  # noqa: BLE001 - as in `revise`
        return None, None, None


def changes_of(event: Event) -> list[dict[str, Any]]:
    """Return the fields that an event set: a registration sets every field that is not null."""
    return [{"field": name, "from": from_, "to": to} for name, (from_, to) in _fields_set(event).items()]


def _harmless_changes(event: Event, definition: Definition) -> str:
    """Return the same as JSON without personal values.

    Of a registration it does not name personal fields either, for nobody is told whether they are empty: all
    are named beside it.
    """
    harmless = definition.harmless
    if isinstance(event, Registered) and harmless.isdisjoint(event.details):
        return "[]"
    return to_json(
        [
            {"field": name, "from": None, "to": None}
            | ({"from": from_, "to": to} if name in harmless else {})
            for name, (from_, to) in _fields_set(event).items()
            if name in harmless or not isinstance(event, Registered)
        ]
    )


def _fields_set(event: Event) -> Mapping[str, tuple[Any, Any]]:
    match event:
        case Registered():
            return {name: (None, value) for name, value in event.details.items() if value is not None}
        case DetailsChanged():
            return {name: (change.from_, change.to) for name, change in event.changes.items()}
        case _:
            return {}


def _circumstances(metadata: EventMetadata) -> _Said:
    request_id, client_request_id = metadata.request_id, metadata.client_request_id
    if request_id is None:  # nobody knows whose the only one was: auditors find it where it always stood
        request_id, client_request_id = client_request_id, None
    return (
        _column_text(metadata.actor.sub),
        _column_text(metadata.actor.name or None),
        _column_text(request_id),
        _column_text(client_request_id),
        _column_text(metadata.traceparent),
        _column_text(metadata.reason),
    )


def _harmless(said: _Said) -> _Said:
    sub, _, request_id, _, traceparent, _ = said
    return sub, None, request_id if is_own_request_id(request_id) else None, None, traceparent, None


def _column_text(text: _Text) -> _Text:
    """Return a text that PostgreSQL can hold: JSON may have NUL in it, a text column may not."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}") if text else text


def _public_unread(stored: RecordedEvent) -> dict[str, Any]:
    """Return what everybody may know of an event that cannot be read: no text but names that we gave."""
    return {
        "type": stored.topic if stored.topic in unreadable_topics(stored.entity) else None,
        "entity": stored.entity if stored.entity in DEFINITIONS else None,
        "id": stored.entity_id if stored.entity != ACTOR.name and is_id(stored.entity_id) else None,
        "version": stored.originator_version,
    }
