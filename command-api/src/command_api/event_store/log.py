"""Reading the log, and the one object through which a service appends to it and reads from it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

import psycopg

from command_api.event_store import statements
from command_api.event_store.appender import Appender
from command_api.event_store.records import Append, Appended, Decided, RecordedEvent
from ops.base.database import Pool, open_pool, read_with
from ops.base.shared_reads import SharedReads


class EventLog:
    """The append-only log of one fleet."""

    def __init__(self, pool: Pool, appender: Appender) -> None:
        self._pool = pool
        self._appender = appender
        self._log_id: str | None = None
        self._streams = SharedReads(self._read_streams)

    @classmethod
    @asynccontextmanager
    async def open(cls, dsn: str, *, pool_size: int = 8) -> AsyncIterator[Self]:
        """Open the log for the time of a context.

        Args:
            dsn: DSN of a role that may append and select events.
            pool_size: connections to read with; one more appends.
        """
        appender = Appender(dsn)
        async with open_pool(dsn, size=pool_size) as pool, appender.running():
            yield cls(pool, appender)

    async def append(self, append: Append) -> Appended | Decided:
        """Append a command's events, or what was decided instead: see `Appender.append`."""
        return await self._appender.append(append)

    async def log_id(self) -> str:
        """Return the name of this log, without which its positions mean nothing."""
        if self._log_id is None:
            self._log_id = str((await self._fetch(statements.LOG_ID))[0][0])
        return self._log_id

    def forget_id(self) -> None:
        """Look again which log this is, the next time somebody asks: it may have been replaced."""
        self._log_id = None

    async def head(self) -> int:
        """Return the position of the last event, or 0."""
        return int((await self._fetch(statements.HEAD))[0][0])

    async def stream(self, originator_id: str) -> list[RecordedEvent]:
        """Return a stream's events in their order."""
        return await self._streams.get(originator_id) or []

    async def after(self, position: int, *, limit: int) -> list[RecordedEvent]:
        """Return the events after a position, in the log's order."""
        return _events(await self._fetch(statements.AFTER, [position, limit]))

    async def _read_streams(self, originator_ids: list[str]) -> dict[str, list[RecordedEvent]]:
        streams: dict[str, list[RecordedEvent]] = {}
        for event in _events(await self._fetch(statements.OF_STREAMS, [originator_ids])):
            streams.setdefault(event.originator_id, []).append(event)
        return streams

    async def _fetch(self, statement: Any, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
        async def read(connection: psycopg.AsyncConnection) -> list[tuple[Any, ...]]:
            return await (await connection.execute(statement, parameters)).fetchall()

        return await read_with(self._pool, read)


def _events(rows: list[tuple[Any, ...]]) -> list[RecordedEvent]:
    return [RecordedEvent(*row) for row in rows]
