"""The projection that keeps an entity table."""

import json
from collections.abc import Collection, Sequence
from typing import Final

from psycopg import AsyncConnection, sql

from command_api.domain.catalogue import UnreadableEvent, decode
from command_api.domain.folding import InapplicableEvent, State, apply
from projections.entity_tables.list_items import list_item
from projections.failures import EventNotApplied
from projections.log import StoredEvent
from projections.states import remembered_state, to_json
from projections.tables import EntityTable
from projections.writing import column_chunks

_LOAD: Final = sql.SQL("SELECT id, version, record::text FROM {table} WHERE id = ANY(%s)")
_DELETE: Final = sql.SQL("DELETE FROM {table} WHERE id = ANY(%s)")
_UPSERT: Final = sql.SQL(
    """
    INSERT INTO {table} (id, version, position, record, list_item)
    SELECT id, version, position, record::json, list_item::json
    FROM unnest(%b::text[], %b::bigint[], %b::bigint[], %b::text[], %b::text[])
      AS row (id, version, position, record, list_item)
    ON CONFLICT (id) DO UPDATE SET
      version = excluded.version,
      position = excluded.position,
      record = excluded.record,
      list_item = excluded.list_item
    """
)


class EntityProjection:
    """Keeps one row for every registered entity of one type.

    A row is all that is remembered of its stream: the state before a batch is read from the table, in the
    transaction that writes the state after it.
    """

    def __init__(self, table: EntityTable) -> None:
        self.table = table

    async def handle(self, connection: AsyncConnection, batch: Sequence[StoredEvent]) -> int | None:
        """Fold the events of this entity type into its table; see `Projection.handle`."""
        events = [event for event in batch if event.entity == self.table.entity.name]
        if not events:
            return None
        states = await self._load(connection, {event.entity_id for event in events})
        latest = {event.entity_id: event for event in events}
        for event in events:
            states[event.entity_id] = _fold(states.get(event.entity_id), event)
        removed = [entity_id for entity_id, state in states.items() if state is None]
        if removed:
            await connection.execute(_DELETE.format(table=self.table.identifier), (removed,))
        rows = (self._row(state, latest[state.id]) for state in states.values() if state)
        for columns in column_chunks(rows):
            await connection.execute(_UPSERT.format(table=self.table.identifier), columns)
        return events[-1].position

    async def _load(self, connection: AsyncConnection, ids: Collection[str]) -> dict[str, State | None]:
        cursor = await connection.execute(_LOAD.format(table=self.table.identifier), (list(ids),))
        return {
            entity_id: remembered_state(self.table.entity.name, version, json.loads(record))
            for entity_id, version, record in await cursor.fetchall()
        }

    def _row(self, state: State, latest: StoredEvent) -> tuple[str, int, int, str, str]:
        record = state.record()
        try:
            texts = to_json(record), to_json(list_item(self.table.entity, record))
        except ValueError as error:
            raise _not_applied(latest, error) from error
        return state.id, state.version, latest.position, *texts


def _fold(state: State | None, event: StoredEvent) -> State | None:
    try:
        change = decode(event.topic, event.state, originator_id=event.originator_id, version=event.version)
        return apply(state, change, moment=event.moment)
    except (UnreadableEvent, InapplicableEvent) as error:
        raise _not_applied(event, error) from error


def _not_applied(event: StoredEvent, cause: Exception) -> EventNotApplied:
    stream_version = f"{event.originator_id} version {event.version}"
    return EventNotApplied(event.position, f"{event.topic}, {stream_version}: {type(cause).__name__}")
