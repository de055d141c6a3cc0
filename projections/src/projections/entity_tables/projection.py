"""The projection that keeps an entity table."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from psycopg import AsyncConnection, sql

from command_api.domain.folding import State
from command_api.event_store.records import RecordedEvent
from projections.applying.quarantine import set_aside
from projections.applying.writing import column_chunks
from projections.entity_tables.filling import EntityFilling
from projections.entity_tables.folding import COLUMNS, Folded, fold
from projections.tables import EntityTable, next_table

STATES_BYTES: Final = 1_000_000
"""Of states in memory at once; a single larger one still comes."""

_LOAD: Final = sql.SQL(
    """
    SELECT id, version, state::text, is_quarantined
    FROM (
      SELECT stream.id, kept.version, coalesce(kept.own_state, kept.record) AS state,
        quarantined.position IS NOT NULL AS is_quarantined,
        coalesce(sum(read.json_bytes(kept.record)) OVER (
          ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS bytes_before
      FROM unnest(%s::text[]) WITH ORDINALITY AS stream (id, number)
      LEFT JOIN {table} AS kept ON kept.id = stream.id
      LEFT JOIN read.quarantined_streams AS quarantined
        ON quarantined.projection = %s AND quarantined.originator_id = %s || stream.id
    ) AS measured
    WHERE bytes_before < %s
    """
)
_DELETE: Final = sql.SQL("DELETE FROM {table} WHERE id = ANY(%s)")
_UPSERT: Final = sql.SQL(
    """
    INSERT INTO {table} ({columns})
    SELECT id, version, position, record::json, list_item::json, search_text, sort_keys, own_state::json
    FROM unnest(
      %b::text[], %b::bigint[], %b::bigint[], %b::text[], %b::text[], %b::text[], %b::text[], %b::text[]
    )
      AS row ({columns})
    ON CONFLICT (id) DO UPDATE SET
      version = excluded.version,
      position = excluded.position,
      record = excluded.record,
      list_item = excluded.list_item,
      search_text = excluded.search_text,
      sort_keys = excluded.sort_keys,
      own_state = excluded.own_state
    """
)


class EntityProjection:
    """Keeps one row for every registered entity of one type.

    A row is all that is remembered of its stream: the state before a batch is read from the table, in the
    transaction that writes the state after it. A stream with an event that cannot be applied is set aside
    at that event, and its row stays as it was before; all others go on.
    """

    def __init__(self, table: EntityTable) -> None:
        self.table = table
        self._prefix = f"{table.entity.name}:"

    key: Final = "id"

    def on_next_table(self) -> "EntityProjection":
        """See `Projection.on_next_table`."""
        return EntityProjection(next_table(self.table))

    def filling(self, connection: AsyncConnection) -> EntityFilling:
        """See `Projection.filling`."""
        return EntityFilling(connection, self.table)

    async def handle(self, connection: AsyncConnection, batch: Sequence[RecordedEvent]) -> int | None:
        """Fold the events of this entity type into its table; see `Projection.handle`."""
        streams = by_stream(event for event in batch if event.entity == self.table.entity.name)
        changed = 0
        while streams:
            states, set_aside_already = await self.load(connection, streams)
            folded = {
                entity_id: fold(self.table, state, streams[entity_id]) for entity_id, state in states.items()
            }
            changed = max(changed, await self.write(connection, folded) or 0)
            for entity_id in (*states, *set_aside_already):
                del streams[entity_id]
        return changed or None

    def is_awaited(self, events: Sequence[RecordedEvent]) -> bool:
        """See `Projection.is_awaited`: it is whether any is of this entity type."""
        return any(event.originator_id.startswith(self._prefix) for event in events)

    async def load(
        self, connection: AsyncConnection, ids: Collection[str]
    ) -> tuple[dict[str, State | None], list[str]]:
        """Return the states that the table has of the first of some ids: of as many as fit, but at least one.

        Args:
            connection: in the transaction that holds the projection's position.
            ids: which.

        Returns:
            The states, and those among these ids that are set aside.
        """
        parameters = (list(ids), self.table.name, self._prefix, STATES_BYTES)
        cursor = await connection.execute(_LOAD.format(table=self.table.identifier), parameters)
        rows = await cursor.fetchall()
        states = {
            entity_id: State.of_named(self.table.entity.name, version, json.loads(state)) if state else None
            for entity_id, version, state, is_quarantined in rows
            if not is_quarantined
        }
        return states, [entity_id for entity_id, *_, is_quarantined in rows if is_quarantined]

    async def write(self, connection: AsyncConnection, folded: Mapping[str, Folded]) -> int | None:
        """Write what streams have come to, by id, and set those aside that cannot go on.

        Returns:
            The last position that changed the table; None when none did.
        """
        changed = {entity_id: stream for entity_id, stream in folded.items() if stream.applied}
        removed = [entity_id for entity_id, stream in changed.items() if stream.row is None]
        if removed:
            await connection.execute(_DELETE.format(table=self.table.identifier), (removed,))
        rows = (stream.row for stream in changed.values() if stream.row)
        for columns in column_chunks(rows):
            await connection.execute(_UPSERT.format(table=self.table.identifier, columns=COLUMNS), columns)
        failures = {
            self._prefix + entity_id: stream.failure for entity_id, stream in folded.items() if stream.failure
        }
        await set_aside(connection, self.table, failures)
        return max((stream.applied for stream in changed.values()), default=None)


def by_stream(events: Iterable[RecordedEvent]) -> dict[str, list[RecordedEvent]]:
    """Group events of one entity type by id, each group in the events' order."""
    streams: dict[str, list[RecordedEvent]] = {}
    for event in events:
        streams.setdefault(event.entity_id, []).append(event)
    return streams
