"""One stream's events folded into its row, as far as they can be."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from command_api.domain.definition import DEFINITIONS
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.state import State
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.keys import Key
from ops.base.encryption.rows import encrypt_texts, row_context
from ops.base.records.json_values import json_of_only, to_json
from ops.base.records.masks import masked_record
from projections.engine.quarantine import Failure
from projections.engine.states import Shown, after, opened, shown
from projections.tables import EntityTable
from projections.tables.boxes import packed
from projections.tables.search_terms import search_text, sort_keys


class Row(NamedTuple):
    """A row of an entity table; the fields are its columns, in their order."""

    id: str
    version: int
    position: int
    record: str
    list_item: str
    key_id: str | None = None
    """Of the key that the rest is sealed under; None: there is no rest."""
    box: bytes | None = None
    """Record and list item encrypted; None where the key was destroyed."""
    restricted: bool = False
    """Whether nothing may be done with it: its list item is masked, and no search finds it."""


class Terms(NamedTuple):
    """A row of what a list is searched and sorted by; the fields are its columns, in their order."""

    id: str
    version: int
    """Of the row that it tells of."""
    search_text: str
    sort_keys: str


class Made(NamedTuple):
    """What is to be written of a record."""

    row: Row
    terms: Terms | None
    """None: it is not to be found."""


@dataclass(frozen=True)
class Folded:
    """What some events of a stream come to."""

    made: Made | None
    """The row after the last one that could be applied; None: nothing is registered."""
    applied: int
    """The position of that event; 0: none could be, and the row is as it was."""
    failure: Failure | None
    """Why the next one could not."""
    state: State | None
    """After that event; None: nothing is registered."""


def fold(table: EntityTable, state: State | None, events: Iterable[RecordedEvent]) -> Folded:
    """Fold events of one stream, up to the first that cannot be read, applied or written.

    Args:
        table: of the stream's type.
        state: the state before them; None: nothing is registered.
        events: in position order.
    """
    events = list(events)
    try:
        return _fold(table, state, events, with_rows=False)
    except Exception:  # noqa: BLE001 - which event it was is found out below
        return _fold(table, state, events, with_rows=True)


def made_of(
    table: EntityTable, state: State, position: int, key_id: str | None = None, key: Key | None = None
) -> Made:
    """Return the row that shows a state, and its search terms; see `row_of`.

    Raises:
        ValueError: the state is none that JSON can show.
    """
    told = shown(state)
    row = row_of(table, state, told, position, key_id, key)
    if state.is_restricted:
        return Made(row, None)
    return Made(row, terms_of(table, state.id, state.version, table.entity.list_item(told.record)))


def row_of(  # noqa: PLR0917 - as they stand in a row
    table: EntityTable,
    state: State,
    told: Shown,
    position: int,
    key_id: str | None = None,
    key: Key | None = None,
) -> Row:
    """Return the row that shows a state.

    Args:
        table: where it is to be.
        state: what it shows.
        told: how it is shown.
        position: of the event that led to it.
        key_id: of the key that this event is sealed under; None: it is in the clear, and so is the row.
        key: that key; None: nobody has it.

    """
    record, text = told.record, told.text
    item = table.entity.list_item(record)
    listed = text if item is record else to_json(item)
    masked = to_json(masked_record(table.entity, item)) if state.is_restricted else None
    place = (state.id, state.version, position)
    if key_id is None or not DEFINITIONS[state.entity].personal:
        return Row(*place, text, masked or listed, restricted=state.is_restricted)
    box = None
    if key is not None:
        sealed_for = row_context(table.sealed_as, f"{state.entity}:{state.id}", state.version)
        box = encrypt_texts(key, sealed_for, packed(text, listed))
    text = told.harmless
    listed = masked or (text if item is record else json_of_only(item, table.entity.harmless))
    return Row(*place, text, listed, key_id, box, state.is_restricted)


def terms_of(table: EntityTable, entity_id: str, version: int, item: Mapping[str, Any]) -> Terms:
    """Return by what a row is found and sorted, of how its list shows it."""
    return Terms(entity_id, version, search_text(table, item), sort_keys(table, item))


def writable_after(state: State | None, event: RecordedEvent) -> State | None:
    """Return the state after an event, all of which can be written.

    Raises:
        Exception: whatever; the event cannot be applied.
    """
    change = opened(event)
    _require_json(change)
    return after(state, event, change)


def _require_json(event: Event) -> None:
    """See that what an event sets can be written: a later event might hide that it could not."""
    match event:
        case Registered():
            to_json(event.details)
        case DetailsChanged():
            for change in event.changes.values():
                to_json(change.to)


def _fold(table: EntityTable, state: State | None, events: list[RecordedEvent], *, with_rows: bool) -> Folded:
    """Fold events; the last row alone is made, and raises what it cannot be made of, or one of each state."""
    made, last, failure = None, None, None
    for event in events:
        try:
            following = writable_after(state, event)
            if with_rows:
                made = (
                    made_of(table, following, event.position, event.key_id, event.key) if following else None
                )
        except Exception as error:  # noqa: BLE001 - folding is pure: whatever it raises, the event is the cause
            failure = Failure.of(event, error)
            break
        state, last = following, event
    if state and last and not with_rows:
        made = made_of(table, state, last.position, last.key_id, last.key)
    return Folded(made, last.position if last else 0, failure, state)
