"""Filling `revisions` with the whole log at once."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

from psycopg import AsyncConnection, sql

from command_api.domain.folding import State
from command_api.domain.public import NOTHING_MORE, Publishing
from command_api.event_store.records import RecordedEvent
from projections.applying.states import Stream, with_states
from projections.applying.writing import portions
from projections.revisions.revision import COLUMNS, COPIED_TYPES
from projections.revisions.states import question, revisions_of
from projections.tables import ReadTable

REMEMBERED_BYTES: Final = 32_000_000
"""Once this much of payloads has been folded, the states are forgotten, and read again from then on."""

_COPY: Final = sql.SQL("COPY {table} ({columns}) FROM STDIN (FORMAT BINARY)")


class RevisionsFilling:
    """Writes each stretch of revisions at once, and keeps the streams' states in memory, within a bound."""

    prefix: Final = ""

    def __init__(
        self,
        connection: AsyncConnection,
        table: ReadTable,
        *,
        publishing: Publishing = NOTHING_MORE,
        remembered_bytes: int = REMEMBERED_BYTES,
    ) -> None:
        """Prepare to fill an empty table.

        Args:
            connection: in autocommit mode.
            table: the table.
            publishing: what is published besides what is declared public.
            remembered_bytes: roughly how much to keep in memory, counted in payloads.
        """
        self._connection = connection
        self._table = table
        self._publishing = publishing
        self._remembered_bytes = remembered_bytes
        self._bytes = 0
        self._states: dict[Stream, State | None] = {}
        self._forgotten = False
        self._last = 0

    async def take(self, events: Sequence[RecordedEvent]) -> None:
        """See `Filling.take`."""
        if self._forgotten:
            asking = partial(question, self._table)
            async for some, known in with_states(self._connection, asking, events):
                await self._write(some, known.states)
            return
        await self._write(events, self._states)
        self._bytes += sum(len(event.state) for event in events)
        if self._bytes > self._remembered_bytes:
            self._states.clear()
            self._forgotten = True

    async def _write(self, events: Sequence[RecordedEvent], states: dict[Stream, State | None]) -> None:
        statement = _COPY.format(table=self._table.identifier, columns=COLUMNS)
        async with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(COPIED_TYPES)
            for portion in portions(events):
                for revision in revisions_of(portion, states, self._publishing):
                    await copy.write_row(revision)
                await asyncio.sleep(0)
        self._last = events[-1].position if events else self._last

    async def finish(self) -> int:
        """See `Filling.finish`."""
        return self._last
