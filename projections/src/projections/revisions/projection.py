"""The projection that keeps `revisions`."""

from collections.abc import Iterator, Sequence
from typing import Final

from psycopg import AsyncConnection, sql

from command_api.domain.folding import State
from command_api.domain.public import NOTHING_MORE, Publishing
from command_api.event_store.records import RecordedEvent
from projections.applying.writing import column_chunks
from projections.revisions.filling import RevisionsFilling
from projections.revisions.revision import Revision, revise
from projections.revisions.states import Stream, with_states
from projections.tables import REVISIONS, ReadTable, next_table

_INSERT: Final = sql.SQL(
    """
    INSERT INTO {table} (
      position, entity, entity_id, version, type, moment,
      actor_sub, actor_name, request_id, client_request_id, traceparent, reason,
      changes, state, personal, public_event, public_state, own_state
    )
    SELECT
      position, entity, entity_id, version, type, moment,
      actor_sub, actor_name, request_id, client_request_id, traceparent, reason,
      changes::json, state::json, personal::json, public_event::json, public_state::json, own_state::json
    FROM unnest(
      %b::bigint[], %b::text[], %b::text[], %b::bigint[], %b::text[], %b::timestamptz[],
      %b::text[], %b::text[], %b::text[], %b::text[], %b::text[], %b::text[],
      %b::text[], %b::text[], %b::text[], %b::text[], %b::text[], %b::text[]
    ) AS row (
      position, entity, entity_id, version, type, moment,
      actor_sub, actor_name, request_id, client_request_id, traceparent, reason,
      changes, state, personal, public_event, public_state, own_state
    )
    """
)


class RevisionsProjection:
    """Keeps one row for every position of the log; the state before an event is that of the row before it.

    It describes whatever the log holds, and sets no stream aside.
    """

    key: Final = "position"

    def __init__(self, table: ReadTable = REVISIONS, *, publishing: Publishing = NOTHING_MORE) -> None:
        """Describe the projection.

        Args:
            table: the table it keeps.
            publishing: what is published besides what is declared public.
        """
        self.table = table
        self._publishing = publishing

    def on_next_table(self) -> "RevisionsProjection":
        """See `Projection.on_next_table`."""
        return RevisionsProjection(next_table(self.table), publishing=self._publishing)

    def filling(self, connection: AsyncConnection) -> RevisionsFilling:
        """See `Projection.filling`."""
        return RevisionsFilling(connection, self.table, publishing=self._publishing)

    def is_awaited(self, events: Sequence[RecordedEvent]) -> bool:  # noqa: ARG002
        """See `Projection.is_awaited`: histories are looked at later."""
        return False

    async def handle(self, connection: AsyncConnection, batch: Sequence[RecordedEvent]) -> int | None:
        """Describe each event; see `Projection.handle`."""
        async for events, states in with_states(connection, self.table, batch):
            for columns in column_chunks(self._rows(events, states)):
                await connection.execute(_INSERT.format(table=self.table.identifier), columns)
        return batch[-1].position

    def _rows(self, batch: Sequence[RecordedEvent], states: dict[Stream, State | None]) -> Iterator[Revision]:
        for event in batch:
            stream = (event.entity, event.entity_id)
            revision, states[stream] = revise(states.get(stream), event, self._publishing)
            yield revision
