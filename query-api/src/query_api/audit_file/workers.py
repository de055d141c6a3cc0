"""Worker processes of the process that makes an audit file, so that it uses two processors."""

import asyncio
import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import AsyncExitStack
from datetime import date
from multiprocessing import get_context
from typing import Any, Final, NamedTuple, TypeVar

import psycopg
from isal import isal_zlib

from ops.base.database.pools import Pool
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import KEYS
from query_api.audit.exports import csv_rows, mark, ndjson
from query_api.audit.timeline import Timeline
from query_api.audit_file.job import Job
from query_api.audit_file.log_rows import LogReader
from query_api.database.source import BATCH, Scan

STATEMENT_SECONDS: Final = 60.0
_WORKERS: Final = 2
_WINDOW: Final = 2 * _WORKERS
"""Ranges that are computed or wait to be written, which bounds the memory."""
_POSITIONS: Final = 4_000
_ROWS_AT_ONCE: Final = 2_000
_MOST_BYTES: Final = 8_000_000
"""Size of a part; a longer range is continued in another part."""


class ChangesPart(NamedTuple):
    """The changes of a range of positions."""

    reached: int
    csv: bytes
    ndjson: bytes
    """Compressed."""
    days: Counter[date]


class Leaf(NamedTuple):
    """A stored event."""

    position: int
    text: bytes

    def leaf(self) -> bytes:
        """See `LogRow`."""
        return self.text


class LogPart(NamedTuple):
    """The stored events of a range of positions."""

    reached: int
    positions: list[int]
    leaves: list[bytes]


Part = TypeVar("Part", ChangesPart, LogPart)


class _Worker:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._runner = asyncio.Runner()
        self._opened = AsyncExitStack()
        self._timeline: Timeline | None = None
        self._log: psycopg.Connection[Any] | None = None

    def changes(self, low: int, high: int) -> ChangesPart:
        return self._runner.run(self._changes(low, high))

    def log_rows(self, low: int, high: int) -> LogPart:
        self._log = self._log or psycopg.connect(self._job.database)
        positions, leaves, size = list[int](), list[bytes](), 0
        with self._log.transaction():
            for row in LogReader(self._log).rows(self._job.scope, low, high):
                positions.append(row.position)
                leaves.append(row.leaf())
                if (size := size + len(leaves[-1])) >= _MOST_BYTES:
                    return LogPart(row.position, positions, leaves)
        return LogPart(high, positions, leaves)

    async def _changes(self, low: int, high: int) -> ChangesPart:
        job, timeline = self._job, self._timeline or await self._open()
        found = timeline.everything(
            job.wanted,
            descending=False,
            masked=not job.reveal,
            restricted=job.restricted,
            scan=Scan(low, high, BATCH, descending=False),
            rows=_ROWS_AT_ONCE,
        )
        tables, lines, days = list[bytes](), list[bytes](), Counter[date]()
        reached, size = high, 0
        async for changes in found:
            for change in changes if not job.reveal else ():
                mark(change)
            tables.append(csv_rows(changes, reveal=job.reveal))
            lines.append(ndjson(changes, reveal=job.reveal))
            days.update([date.fromisoformat(change.moment_text[:10]) for change in changes])
            if (size := size + len(tables[-1]) + len(lines[-1])) >= _MOST_BYTES:
                reached = changes[-1].position
                break
        return ChangesPart(reached, b"".join(tables), isal_zlib.compress(b"".join(lines)), days)

    async def _open(self) -> Timeline:
        pool = statement_pool(self._job)
        for context in (KEYS.use(dsn=self._job.database), pool, ACTORS.use(pool)):
            await self._opened.enter_async_context(context)
        self._timeline = Timeline(pool)
        return self._timeline


def statement_pool(job: Job) -> Pool:
    """Return a pool for statements that may take long."""
    settings = {"statement_timeout": f"{STATEMENT_SECONDS:.0f}s"}
    return Pool(job.database, size=1, answer_seconds=STATEMENT_SECONDS, settings=settings)


class Workers:
    """The running workers; they must be started before this process has threads."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._executor = ProcessPoolExecutor(_WORKERS, get_context("fork"), _begin, (job,))
        self._executor.submit(int).result()

    def changes(self, low: int, high: int) -> Iterator[ChangesPart]:
        """Yield the changes between two positions, in order."""
        return self._parts(_changes, low, high, is_indexed=self._job.wanted.id is not None)

    def leaves(self, low: int, high: int) -> Iterator[Leaf]:
        """Yield the stored events of the scope between two positions, in order."""
        for part in self._parts(_log_rows, low, high, is_indexed=self._job.scope.kind == "stream"):
            yield from map(Leaf, part.positions, part.leaves)

    def _parts(
        self, compute: Callable[[int, int], Part], low: int, high: int, *, is_indexed: bool
    ) -> Iterator[Part]:
        step = max(1, high - low) if is_indexed else _POSITIONS
        starts = iter(range(low, high, step))
        pending = deque[tuple[int, Future[Part]]]()
        while True:
            while len(pending) < _WINDOW and (first := next(starts, None)) is not None:
                last = min(high, first + step)
                pending.append((last, self._executor.submit(compute, first, last)))
            if not pending:
                return
            last, future = pending.popleft()
            part = future.result()
            if part.reached < last:
                pending.appendleft((last, self._executor.submit(compute, part.reached, last)))
            yield part

    def close(self) -> None:
        """End the workers."""
        self._executor.shutdown(cancel_futures=True)


_worker: _Worker | None = None
"""In a worker process."""


def _begin(job: Job) -> None:
    global _worker  # noqa: PLW0603 - one for each process
    # Only the main process writes the file, whose reader must notice the end of that process.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    _worker = _Worker(job)


def _changes(low: int, high: int) -> Any:
    return _worker and _worker.changes(low, high)


def _log_rows(low: int, high: int) -> Any:
    return _worker and _worker.log_rows(low, high)
