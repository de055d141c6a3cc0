"""The projection that keeps `revisions`."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, LiteralString

from psycopg import AsyncConnection, sql

from command_api.domain.public import NOTHING_MORE, Publishing
from command_api.event_store.records import RecordedEvent
from projections.applying.writing import column_chunks
from projections.revisions.filling import RevisionsFilling
from projections.revisions.revision import COLUMNS, JSON_COLUMNS, Revision
from projections.revisions.states import revisions_of, with_states
from projections.tables import REVISIONS, ReadTable, next_table

_INSERT: Final = sql.SQL(
    "INSERT INTO {table} ({columns}) SELECT {values} FROM unnest({arrays}) AS row ({columns})"
)
_TYPES: Final[Mapping[str, LiteralString]] = {
    "position": "%b::bigint[]", "version": "%b::bigint[]", "moment": "%b::timestamptz[]"
}  # fmt: skip


@cache
def _insert(table: ReadTable) -> bytes:
    names = Revision._fields
    values = (
        sql.SQL("{}::json" if name in JSON_COLUMNS else "{}").format(sql.Identifier(name)) for name in names
    )
    arrays = (sql.SQL(_TYPES.get(name, "%b::text[]")) for name in names)
    comma = sql.SQL(", ")
    return _INSERT.format(
        table=table.identifier, columns=COLUMNS, values=comma.join(values), arrays=comma.join(arrays)
    ).as_bytes(None)


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
            for columns in column_chunks(revisions_of(events, states, self._publishing)):
                await connection.execute(_insert(self.table), columns)
        return batch[-1].position
