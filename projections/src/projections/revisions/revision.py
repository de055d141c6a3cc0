"""The description of one event in `revisions`."""

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
from ops.base.http.request_context import is_own_request_id
from ops.base.records.entities import is_id
from ops.base.records.json_values import json_bytes, to_json
from projections.engine.states import Rendering, decode, render, state_after
from read_model.tables.revision_texts import Circumstances, RevisionTexts

_Text = str | None
_Context = tuple[_Text, _Text, _Text, _Text, _Text, _Text]
"""The columns `actor_sub` to `reason`."""


class Revision(NamedTuple):
    """A row of `revisions`; the fields are its columns, and JSON is text."""

    position: int
    entity: str
    entity_id: str
    version: int
    type: str
    moment: datetime
    public_event: str
    """JSON without personal data."""
    actor_sub: str | None = None
    actor_name: str | None = None
    request_id: str | None = None
    """The id that the server gave the request."""
    client_request_id: str | None = None
    """The id that the client gave its request."""
    traceparent: str | None = None
    reason: str | None = None
    changes: str = "[]"
    """JSON: `[{"field", "from", "to"}]`; empty for a removal."""
    personal: str | None = None
    """JSON: the changed fields that are personal; None if the event cannot be decoded."""
    state: str | None = None
    """JSON: the record after the change; None after a removal, and if the event could not be folded."""
    public_state: str | None = None
    """JSON: the public part of the state; None if there is no state."""
    key_id: str | None = None
    """The key that encrypts the event. If it is set, the other columns contain no personal values."""
    ciphertext: bytes | None = None
    """The encrypted `RevisionTexts`; None if the event is unencrypted, or its key was destroyed."""
    actor_is_program: bool | None = None
    """None if the event cannot be decoded."""


JSON_COLUMNS: Final = frozenset({"public_event", "changes", "personal", "state", "public_state"})
TYPES: Final[Mapping[str, LiteralString]] = {
    "position": "int8",
    "version": "int8",
    "moment": "timestamptz",
    "ciphertext": "bytea",
    "actor_is_program": "bool",
}
"""Types of the columns that are neither text nor JSON."""


def revise(
    before: State | None, stored: RecordedEvent, publishing: PublicationPolicy = DEFAULT_POLICY
) -> tuple[Revision, State | None]:
    """Return the revision of an event, and the stream's state after it.

    Every position has a revision. An event that cannot be decoded is described by the columns of the log.
    An event that cannot be folded has no state, nor have later ones until the entity is registered again.

    Args:
        before: the stream's state before the event; None if no entity is registered, or it is unknown.
        publishing: what is published in addition to fields that are declared public.
    """
    entity, _, entity_id = stored.originator_id.partition(":")
    place = (stored.position, entity, entity_id, stored.originator_version, stored.topic, stored.moment)
    try:
        event = decode(stored)
        definition = STREAMS[entity]
        public_event = to_json(public_payload(event, publishing))
        personal = to_json(list(personal_in(event, publishing)))
        after, rendering, public_state = _after(before, stored, event, publishing)
        # An encrypted registration omits its changes, which follow from the record.
        follow = stored.key_id is not None and rendering is not None and isinstance(event, Registered)
        changes = "" if follow else to_json(changes_of(event))
    except Exception:  # noqa: BLE001 - the event is the cause of any exception, and is still described
        return Revision(*place, to_json(_public_unread(stored))), None
    context, is_program = _context(event.metadata), event.metadata.actor.is_program
    if stored.key_id is None:
        text = rendering.text if rendering else None
        row = Revision(*place, public_event, *context, changes, personal, text, public_state)
        return row._replace(actor_is_program=is_program), after
    ciphertext = None
    if stored.key is not None:
        _, actor_name, request_id, client_request_id, _, reason = context
        circumstances = Circumstances(actor_name, request_id, client_request_id, reason)
        record = rendering.text.encode() if rendering else b""
        texts = RevisionTexts(record, changes.encode(), json_bytes(list(circumstances)))
        ciphertext = texts.sealed(stored.key, stored.originator_id, stored.originator_version)
    text = rendering.harmless if rendering else None
    columns = (_masked_changes(event, definition), personal, text, public_state, stored.key_id, ciphertext)
    return Revision(*place, public_event, *_masked(context), *columns, is_program), after


def _after(
    before: State | None, stored: RecordedEvent, event: Event, publishing: PublicationPolicy
) -> tuple[State | None, Rendering | None, _Text]:
    """Return the state after an event, its rendering, and its public part as JSON."""
    try:
        state = state_after(before, stored, event)
        if state is None:
            return None, None, None
        rendering = render(state)
        return state, rendering, to_json(public_record(state.entity, rendering.record, publishing))
    except Exception:  # noqa: BLE001 - as in `revise`
        return None, None, None


def changes_of(event: Event) -> list[dict[str, Any]]:
    """Return the fields that an event set; a registration sets every field that is not null."""
    return [{"field": name, "from": from_, "to": to} for name, (from_, to) in _fields_set(event).items()]


def _masked_changes(event: Event, definition: Definition) -> str:
    """Return the changes as JSON without personal values.

    A registration does not name personal fields either, so that it does not reveal which are empty.
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


def _context(metadata: EventMetadata) -> _Context:
    return (
        _column_text(metadata.actor.sub),
        _column_text(metadata.actor.name or None),
        _column_text(metadata.request_id),
        _column_text(metadata.client_request_id),
        _column_text(metadata.traceparent),
        _column_text(metadata.reason),
    )


def _masked(context: _Context) -> _Context:
    sub, _, request_id, _, traceparent, _ = context
    return sub, None, request_id if is_own_request_id(request_id) else None, None, traceparent, None


def _column_text(text: _Text) -> _Text:
    """Replace NUL, which JSON may contain and a PostgreSQL text may not."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}") if text else text


def _public_unread(stored: RecordedEvent) -> dict[str, Any]:
    """Return the public event of an event that cannot be decoded: only names that the product defines."""
    return {
        "type": stored.topic if stored.topic in unreadable_topics(stored.entity) else None,
        "entity": stored.entity if stored.entity in DEFINITIONS else None,
        "id": stored.entity_id if stored.entity != ACTOR.name and is_id(stored.entity_id) else None,
        "version": stored.originator_version,
    }
