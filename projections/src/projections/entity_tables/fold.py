"""Folds the events of one stream into a row of an entity table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from command_api.domain.definition import DEFINITIONS
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.state import State
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.keys import Key
from ops.base.encryption.rows import encrypt_texts, row_context
from ops.base.records.json_values import only, to_json
from ops.base.records.masks import masked_record
from projections.engine.quarantine import EventFailure
from projections.engine.states import decode, render, state_after
from read_model.matching.keys import match_keys
from read_model.tables import EntityTable, packed
from read_model.tables.search_terms import search_text, sort_keys


class EntityRow(NamedTuple):
    """A row of an entity table; the fields are its columns, in their order."""

    id: str
    version: int
    position: int
    record: str
    list_item: str
    key_id: str | None = None
    """The key of the encrypted payload; None if the row is unencrypted."""
    ciphertext: bytes | None = None
    """Record and list item encrypted; None if the key was destroyed."""
    restricted: bool = False
    """Whether processing is restricted: the list item is masked, and no search finds the row."""


class Terms(NamedTuple):
    """A row of a search table; the fields are its columns, in their order."""

    id: str
    version: int
    """The version of the entity table's row."""
    search_text: str
    sort_keys: str
    match_keys: str
    """As an array literal."""


class Entry(NamedTuple):
    """A row, and its search terms unless processing is restricted."""

    row: EntityRow
    terms: Terms | None


@dataclass(frozen=True)
class FoldResult:
    """The result of folding events of a stream."""

    entry: Entry | None
    """The row after the last applied event; None if no entity is registered."""
    applied: int
    """The position of the last applied event; 0 if no event was applied, and the row is unchanged."""
    failure: EventFailure | None
    """Why the next event could not be applied."""
    state: State | None
    """The state after the last applied event; None if no entity is registered."""


def fold(table: EntityTable, state: State | None, events: Sequence[RecordedEvent]) -> FoldResult:
    """Fold events of one stream, up to the first that cannot be decoded, applied or written.

    Args:
        state: the state before the events; None if no entity is registered.
        events: in position order.
    """
    try:
        return _fold(table, state, events, with_rows=False)
    except Exception:  # noqa: BLE001 - the second attempt finds the event that cannot be written
        return _fold(table, state, events, with_rows=True)


def entry_of(
    table: EntityTable, state: State, position: int, key_id: str | None = None, key: Key | None = None
) -> Entry:
    """Return the row of a state, and its search terms.

    Args:
        key_id: the key that encrypts the last event; None if the event, and so the row, is unencrypted.
        key: that key; None if it was destroyed.

    Raises:
        ValueError: JSON cannot represent the state.
    """
    rendering = render(state)
    record, text = rendering.record, rendering.text
    item = table.entity.list_item(record)
    listed = text if item is record else to_json(item)
    masked = to_json(masked_record(table.entity, item)) if state.is_restricted else None
    begin = (state.id, state.version, position)
    if key_id is None or not DEFINITIONS[state.entity].personal:
        row = EntityRow(*begin, text, masked or listed, restricted=state.is_restricted)
    else:
        ciphertext = None
        if key is not None:
            context = row_context(table.encrypted_as, f"{state.entity}:{state.id}", state.version)
            ciphertext = encrypt_texts(key, context, packed(text, listed))
        text = rendering.harmless
        listed = masked or (text if item is record else to_json(only(item, table.entity.harmless)))
        row = EntityRow(*begin, text, listed, key_id, ciphertext, state.is_restricted)
    return Entry(row, None if state.is_restricted else terms_of(table, state.id, state.version, item))


def terms_of(table: EntityTable, entity_id: str, version: int, item: Mapping[str, Any]) -> Terms:
    """Return the search terms of a row from its list item."""
    keys = f"{{{','.join(match_keys(table.entity.name, item))}}}"
    return Terms(entity_id, version, search_text(table, item), sort_keys(table, item), keys)


def _require_json(event: Event) -> None:
    """Raise if JSON cannot represent the event's values, even if a later event in the batch replaces them."""
    match event:
        case Registered():
            to_json(event.details)
        case DetailsChanged():
            for change in event.changes.values():
                to_json(change.to)


def _fold(
    table: EntityTable, state: State | None, events: Sequence[RecordedEvent], *, with_rows: bool
) -> FoldResult:
    """Fold events, and compute the row after each, or only the last row, which may raise."""
    entry, last, failure = None, None, None
    for event in events:
        try:
            decoded = decode(event)
            _require_json(decoded)
            following = state_after(state, event, decoded)
            if with_rows:
                key = event.key_id, event.key
                entry = entry_of(table, following, event.position, *key) if following else None
        except Exception as error:  # noqa: BLE001 - folding is pure, so the event is the cause of any exception
            failure = EventFailure.from_exception(event, error)
            break
        state, last = following, event
    if state and last and not with_rows:
        entry = entry_of(table, state, last.position, last.key_id, last.key)
    return FoldResult(entry, last.position if last else 0, failure, state)
