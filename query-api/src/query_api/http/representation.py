"""Results of queries: content with its entity tag and body, or a missing record."""

import asyncio
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ops.base.http.consistency import LogPosition

_COMPRESS_IN_THREAD_FROM_BYTES: Final = 32 * 1024
"""Compressing more takes milliseconds, during which other requests should be served."""
_LEVEL: Final = 1  # a list of JSON records shrinks to a sixth; higher levels cost more than they save


@dataclass(frozen=True, slots=True)
class Content:
    """The result of a query."""

    etag: str
    json: bytes | None
    """None if the client has the content, or if the list is too long for memory."""
    stale: bool
    """Whether the content lacks events that could not be applied."""
    long_at: LogPosition | None = None
    """The position of a list that is too long for memory."""
    row_names: bytes | None = None
    """The ids and versions of a long page's rows, as JSON."""
    count: int | None = None
    """The number of rows or changes, if counted."""
    restricted: bool = False
    """Whether users without access to restricted records get the content masked."""


@dataclass(frozen=True)
class Missing:
    """The result for an id without a record."""

    stale: bool = False
    """Whether the record may exist, because some of its events could not be applied."""


class Body:
    """JSON text and, once requested, its compressed form."""

    __slots__ = ("_compressed", "_compressing", "_on_growth", "json")

    def __init__(self, json: bytes, on_growth: Callable[[], None] = lambda: None) -> None:
        self.json = json
        self._on_growth = on_growth  # called once the compressed form takes memory, too
        self._compressed: bytes | None = None
        self._compressing: asyncio.Task[bytes] | None = None

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return len(self.json) + len(self._compressed or b"")

    async def compressed(self) -> bytes:
        """Return the body compressed with gzip; concurrent callers share one compression."""
        if self._compressed is not None:
            return self._compressed
        if len(self.json) < _COMPRESS_IN_THREAD_FROM_BYTES:
            return self._keep(gzip.compress(self.json, _LEVEL, mtime=0))
        if self._compressing is None:
            self._compressing = asyncio.create_task(self._compress())
        # A client that disconnects must not cancel the compression for the others.
        return await asyncio.shield(self._compressing)

    async def _compress(self) -> bytes:
        try:
            return self._keep(await asyncio.to_thread(gzip.compress, self.json, _LEVEL, mtime=0))
        finally:
            self._compressing = None

    def _keep(self, compressed: bytes) -> bytes:
        self._compressed = compressed
        self._on_growth()
        return compressed
