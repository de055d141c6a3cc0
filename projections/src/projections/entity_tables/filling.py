"""Filling an entity table with the whole log at once."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from psycopg import AsyncConnection, sql

from command_api.domain.folding import State
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.ring import KEYS
from ops.base.encryption.rows import texts_of
from projections.applying.quarantine import Failure, set_aside
from projections.applying.states import begun_before, shown
from projections.applying.writing import portions
from projections.entity_tables.folding import COLUMNS, COPIED_TYPES, Row, fold, row_of, writable_after
from projections.reading.log import read_stream
from projections.tables import EntityTable

REMEMBERED_BYTES: Final = 32_000_000
"""Once this much of payloads has been folded, the states go to the table and are read again when needed."""
COPIED_ROWS: Final = 1000
"""Made and sent at once: their keys are fetched together, and are not waited with for the server."""

_LOAD: Final = sql.SQL(
    "SELECT id, version, position, restricted, key_id, box, record::text FROM {table} WHERE id = ANY(%s)"
)
_DELETE: Final = sql.SQL("DELETE FROM {table} WHERE id = ANY(%s)")
_COPY: Final = sql.SQL("COPY {table} ({columns}) FROM STDIN (FORMAT BINARY)")


class _Remembered(NamedTuple):
    """What an entity has come to."""

    state: State | None
    """None after its removal."""
    position: int
    """After which it is so."""
    key_id: str | None
    """Of the key that this event is sealed under; not the key, which may be erased before the row is made."""


class EntityFilling:
    """Keeps the states in memory, within a bound, and writes each row once if they all fit in."""

    def __init__(
        self, connection: AsyncConnection, table: EntityTable, *, remembered_bytes: int = REMEMBERED_BYTES
    ) -> None:
        """Prepare to fill an empty table.

        Args:
            connection: in autocommit mode.
            table: the table.
            remembered_bytes: roughly how much to keep in memory, counted in payloads.
        """
        self.prefix = f"{table.entity.name}:"
        self._connection = connection
        self._table = table
        self._remembered_bytes = remembered_bytes
        self._bytes = 0
        self._states: dict[str, _Remembered] = {}
        self._failures: dict[str, Failure] = {}
        self._written = False
        self._recalled: set[str] = set()
        self._changed = 0

    async def take(self, events: Sequence[RecordedEvent]) -> None:
        """See `Filling.take`."""
        for portion in portions(events):
            if self._written:
                await self._recall(entity_id for _, entity_id in begun_before(portion))
            self._fold(portion)
            if self._bytes > self._remembered_bytes:
                await self._write()
            await asyncio.sleep(0)

    async def finish(self) -> int:
        """See `Filling.finish`."""
        await self._write()
        failures = {self.prefix + entity_id: failure for entity_id, failure in self._failures.items()}
        await set_aside(self._connection, self._table, failures)
        return self._changed

    def _fold(self, events: Sequence[RecordedEvent]) -> None:
        for event in events:
            entity_id = event.entity_id
            if entity_id in self._failures:
                continue
            before = self._states.get(entity_id)
            try:
                state = writable_after(before.state if before else None, event)
            except Exception as error:  # noqa: BLE001 - as in `fold`
                self._failures[entity_id] = Failure.of(event, error)
                continue
            self._states[entity_id] = _Remembered(state, event.position, event.key_id)
            self._changed = event.position
            self._bytes += len(event.state)

    async def _recall(self, ids: Iterable[str]) -> None:
        """Read the states again that were written and forgotten."""
        unknown = {
            entity_id
            for entity_id in ids
            if entity_id not in self._states and entity_id not in self._failures
        }
        if not unknown:
            return
        cursor = await self._connection.execute(_LOAD.format(table=self._table.identifier), (list(unknown),))
        rows = await cursor.fetchall()
        await KEYS.load(row[4] for row in rows if row[4] is not None)
        for entity_id, version, position, restricted, key_id, box, harmless in rows:
            texts = texts_of(self._table.sealed_as, self.prefix + entity_id, version, key_id, box)
            kept = texts[0] if texts else harmless
            state = State.of_record(self._table.entity.name, version, json.loads(kept))
            # What follows cannot be applied, perhaps; then it stays as it is.
            state = replace(state, is_restricted=restricted)
            self._states[entity_id] = _Remembered(state, position, key_id)
            self._recalled.add(entity_id)
            self._bytes += len(kept)

    async def _write(self) -> None:
        """Write the states that are in memory, and forget them."""
        if self._recalled:
            await self._connection.execute(
                _DELETE.format(table=self._table.identifier), (list(self._recalled),)
            )
            self._recalled.clear()
        unwritable: list[str] = []
        for portion in portions(list(self._states.items()), COPIED_ROWS):
            await KEYS.load(known.key_id for _, known in portion if known.key_id is not None)
            await self._copy(list(self._rows(portion, unwritable)))
        await self._copy([row for entity_id in unwritable if (row := await self._last_row(entity_id))])
        self._states.clear()
        self._bytes, self._written = 0, True

    async def _copy(self, rows: Sequence[Row]) -> None:
        statement = _COPY.format(table=self._table.identifier, columns=COLUMNS)
        async with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(COPIED_TYPES)
            for row in rows:
                await copy.write_row(row)

    def _rows(self, states: Iterable[tuple[str, _Remembered]], unwritable: list[str]) -> Iterator[Row]:
        for entity_id, (state, position, key_id) in states:
            if state is None:
                continue
            key = None if key_id is None else KEYS.get(key_id)
            try:
                row = row_of(self._table, state, shown(state), position, key_id, key)
            except Exception:  # noqa: BLE001 - which event it was, `_last_row` finds out
                unwritable.append(entity_id)
            else:
                yield row

    async def _last_row(self, entity_id: str) -> Row | None:
        """Return the row of a stream as it was before an event with which it cannot be written."""
        last = self._states[entity_id].position
        stretches = read_stream(self._connection, self.prefix + entity_id, first=1, last=last)
        folded = fold(self._table, None, [event async for events in stretches for event in events])
        if folded.failure:
            self._failures[entity_id] = folded.failure
        return folded.made.row if folded.made else None
