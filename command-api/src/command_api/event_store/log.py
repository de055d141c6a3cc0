"""The log in PostgreSQL."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Any, Final, Self
from uuid import UUID

import psycopg
import structlog
from psycopg_pool import PoolTimeout
from pydantic import TypeAdapter
from pydantic_core import to_json

from command_api import metrics
from command_api.domain.state import STATE_VERSION
from command_api.event_store import statements
from command_api.event_store.appender import Appender
from command_api.event_store.records import (
    MAX_VERSION,
    AppendedEvents,
    AppendRequest,
    EventReference,
    RecordedDecision,
    RecordedEvent,
    Snapshot,
    StreamPage,
)
from command_api.event_store.unique_refill import Refill, refill_unique_values
from ops.base.access_log.views import RECORD_VIEWS
from ops.base.database.pools import Pool
from ops.base.database.shared_reads import SharedReads
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.keys import DecryptionError
from ops.base.encryption.rows import decrypt_row, encrypt_texts, row_context
from ops.base.encryption.states import key_id_of
from ops.base.process.tasks import running
from ops.base.records.json_values import json_bytes

PAGE_EVENTS: Final = 200
PAGE_BYTES: Final = 128 * 1024
"""Limit per stream and read; a larger single event is returned alone."""
LATEST_BYTES: Final = 1024 * 1024
MAX_SNAPSHOTS: Final = 16
"""The maximum number of snapshots that wait to be stored; further ones are dropped."""
_REFERENCE: Final = TypeAdapter(EventReference)
_SNAPSHOTS: Final = "snapshots"
"""The table name in the additional data of encrypted snapshots."""

logger = structlog.get_logger()

_PageKey = tuple[str, int]
"""A stream, and the version after which to read."""


class EventLog:
    """The append-only log of one fleet, in PostgreSQL; the tests have one in memory as well."""

    def __init__(self, pool: Pool, appender: Appender) -> None:
        self._pool = pool
        self._appender = appender
        self._log_id: str | None = None
        self._pages = SharedReads(self._read_pages)
        self.snapshots_to_store: asyncio.Queue[tuple[str, str, Snapshot]] = asyncio.Queue(MAX_SNAPSHOTS)

    @classmethod
    @asynccontextmanager
    async def open(cls, dsn: str, *, pool_size: int = 8) -> AsyncIterator[Self]:
        """Open the log within a context.

        Args:
            dsn: DSN of a role that may append and select events.
        """
        appender = Appender(dsn)
        async with Pool(dsn, size=pool_size) as pool, appender.running(), ACTORS.use(pool):
            log = cls(pool, appender)
            async with running(log._store_snapshots):
                yield log

    async def append(self, request: AppendRequest) -> AppendedEvents | RecordedDecision:
        """Append all events of a command, or store its decision; a retry returns the first outcome.

        Raises:
            VersionConflict: another command has appended to the stream.
            ClockJumped: the current time cannot be recorded.
            LogUnavailable: the log could not be reached in time.
        """
        return await self._appender.append(request)

    @property
    def clock_jumped(self) -> str | None:
        """Why the current time cannot be recorded, so that nothing is appended; None: it can."""
        return self._appender.clock_jumped

    @property
    def append_error(self) -> str | None:
        """The type of the error of the last attempt to append; None: it succeeded."""
        return self._appender.error

    async def log_id(self) -> str:
        """Return the id of this log; positions and versions of another log are not comparable."""
        if self._log_id is None:
            self._log_id = str((await self._fetch(statements.LOG_ID))[0][0])
        return self._log_id

    def forget_id(self) -> None:
        """Read the log's id again at the next call of `log_id`: the log may have been replaced."""
        self._log_id = None

    async def head(self) -> int:
        """Return the position of the last event, or 0."""
        return int((await self._fetch(statements.HEAD))[0][0])

    async def unique_key(self, version: int) -> str | None:
        """Return the id of the key of the unique values' hashes; None while they are incomplete.

        Args:
            version: of the rules of unique values.
        """
        rows = await self._fetch(statements.UNIQUE_KEY, [version])
        return str(rows[0][0]) if rows else None

    async def owners(self, values: Mapping[bytes, str | None], *, excluding: str) -> dict[bytes, str]:
        """Return a stream, other than the given one, for each hashed unique value that another one has.

        Args:
            values: the hashes, each with the time for which the value is wanted; None: always.
        """
        return dict(await self._fetch(statements.OWNERS, [[*values], [*values.values()], excluding]))

    async def refill_unique_values(self, refill: Refill) -> bool:
        """Hash the unique values of all records; see `unique_refill`."""
        return await refill_unique_values(self._appender.dsn, refill)

    async def page(self, originator_id: str, *, after: int = 0) -> StreamPage:
        """Return the events of a stream after a version, limited in number and bytes."""
        return await self._pages.get((originator_id, after)) or StreamPage(None, [], is_last=True)

    async def latest(self, originator_id: str, *, after: int, up_to: int, limit: int) -> list[RecordedEvent]:
        """Return the latest events of a stream between two versions, in order, limited in bytes as well."""
        parameters = [originator_id, after, up_to, limit, LATEST_BYTES]
        rows = await self._fetch(statements.LATEST, parameters)
        return _counted(await KEYS.unlock([RecordedEvent(*row) for row in rows]))

    async def snapshot(self, originator_id: str, *, up_to: int = MAX_VERSION) -> Snapshot | None:
        """Return the newest snapshot of a stream up to a version; None if none is readable."""
        try:
            rows = await self._fetch(statements.SNAPSHOT, [originator_id, STATE_VERSION, up_to])
            for version, key_id, ciphertext in rows:
                await KEYS.load([key_id])
                if texts := decrypt_row(_SNAPSHOTS, originator_id, version, key_id, ciphertext):
                    return Snapshot(_REFERENCE.validate_json(texts[0]), json.loads(texts[1]))
        except (psycopg.Error, PoolTimeout, ValueError, DecryptionError, KeysUnavailable) as error:
            logger.warning("no_snapshot", error=type(error).__name__)
        return None

    def add_snapshot(self, originator_id: str, key_id: str | None, snapshot: Snapshot) -> None:
        """Store a snapshot in the background, encrypted with the key of its event; errors are logged."""
        if key_id is not None and not self.snapshots_to_store.full():
            self.snapshots_to_store.put_nowait((originator_id, key_id, snapshot))

    async def _store_snapshots(self) -> None:
        while True:
            waiting = await self.snapshots_to_store.get()
            try:
                await self._store(*waiting)
            finally:
                self.snapshots_to_store.task_done()

    async def _store(self, originator_id: str, key_id: str, snapshot: Snapshot) -> None:
        version = snapshot.reference.version
        if (key := KEYS.get(key_id)) is None:
            return
        try:
            texts = [to_json(snapshot.reference), json_bytes(snapshot.record)]
            ciphertext = encrypt_texts(key, row_context(_SNAPSHOTS, originator_id, version), texts)
            await self._fetch(
                statements.ADD_SNAPSHOT, [originator_id, STATE_VERSION, version, key_id, ciphertext]
            )
        except (psycopg.Error, PoolTimeout, ValueError) as error:
            logger.warning("snapshot_not_stored", error=type(error).__name__)

    async def record_views(self, batch_id: UUID, batch: bytes) -> None:
        """Add a batch of views to the access log, unless it has the batch already.

        Raises:
            psycopg.OperationalError: it is unknown whether the batch was recorded; the call may be repeated.
        """
        await self._fetch(RECORD_VIEWS, [batch_id, batch.decode()])

    async def _read_pages(self, keys: list[_PageKey]) -> dict[_PageKey, StreamPage]:
        streams, versions = map(list, zip(*keys, strict=True))
        rows = await self._fetch(statements.STREAM_PAGES, [streams, versions, PAGE_EVENTS, PAGE_BYTES])
        pages = {key: _page(key, list(of_key)) for key, of_key in groupby(rows, key=lambda row: row[:2])}
        await KEYS.unlock([event for page in pages.values() for event in page.events])
        return pages

    async def _fetch(
        self, statement: Any, parameters: list[Any] | dict[str, Any] | None = None
    ) -> list[tuple[Any, ...]]:
        async def read(connection: psycopg.AsyncConnection) -> list[tuple[Any, ...]]:
            return await (await connection.execute(statement, parameters, binary=True)).fetchall()

        return await self._pool.read(read)


def _page(key: _PageKey, rows: list[tuple[Any, ...]]) -> StreamPage:
    stream, after = key
    references = [EventReference(*row[2:7]) for row in rows]
    events = [
        RecordedEvent(stream, one.version, one.topic, state, one.position, one.moment)
        for one, (*_, state, _) in zip(references, rows, strict=True)
        if one.version > after
    ]
    previous, previous_key_id = None, None
    if references[0].version == after:
        previous, previous_key_id = references[0], key_id_of(rows[0][-2])
    seen = rows[0][-1]
    return StreamPage(previous, _counted(events), len(rows) == seen < PAGE_EVENTS, previous_key_id)


def _counted(events: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    metrics.EVENTS_READ.inc(len(events))
    metrics.EVENT_BYTES_READ.inc(sum(len(event.state) for event in events))
    return list(events)
