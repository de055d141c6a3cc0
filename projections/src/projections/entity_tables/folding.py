"""One stream's events folded into its row, as far as they can be."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from psycopg import sql

from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.folding import State
from command_api.event_store.records import RecordedEvent
from ops.base.json_values import to_json
from projections.applying.quarantine import Failure
from projections.applying.states import after, opened, shown
from projections.tables import EntityTable
from projections.tables.search_terms import search_text, sort_keys


class Row(NamedTuple):
    """A row of an entity table; the fields are its columns, in their order."""

    id: str
    version: int
    position: int
    record: str
    list_item: str
    search_text: str
    sort_keys: str
    own_state: str | None
    """What the next fold goes on from; None where that is the record."""


COLUMNS: Final = sql.SQL(", ").join(map(sql.Identifier, Row._fields))


@dataclass(frozen=True)
class Folded:
    """What some events of a stream come to."""

    row: Row | None
    """The row after the last one that could be applied; None: nothing is registered."""
    applied: int
    """The position of that event; 0: none could be, and the row is as it was."""
    failure: Failure | None
    """Why the next one could not."""


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


def row_of(table: EntityTable, state: State, position: int) -> Row:
    """Return the row that shows a state.

    Raises:
        ValueError: the state is none that JSON can show.
    """
    named, record, text = shown(state)
    item = table.entity.list_item(record)
    return Row(
        state.id,
        state.version,
        position,
        text,
        text if item is record else to_json(item),
        search_text(table, item),
        sort_keys(table, item),
        None if named is record else to_json(named),
    )


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
    row, applied, failure = None, 0, None
    for event in events:
        try:
            state = writable_after(state, event)
            if with_rows:
                row = row_of(table, state, event.position) if state else None
        except Exception as error:  # noqa: BLE001 - folding is pure: whatever it raises, the event is the cause
            failure = Failure.of(event, error)
            break
        applied = event.position
    if state and applied and not with_rows:
        row = row_of(table, state, applied)
    return Folded(row, applied, failure)
