"""What is answered: content with its entity tag, its body, or that a record is missing."""

import asyncio
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ops.base.http.consistency import LogPosition

_COMPRESS_ASIDE_FROM_BYTES: Final = 32 * 1024
"""Compressing more than this takes milliseconds, which other requests need not wait for."""
_LEVEL: Final = 1  # a list of JSON records shrinks to a sixth; higher levels cost more than they save


@dataclass(frozen=True, slots=True)
class Content:
    """What there is to answer."""

    etag: str
    json: bytes | None
    """None where the client has it already, or where it is too long."""
    stale: bool
    """Whether events of it could not be applied, and it is as it was before them."""
    long_at: LogPosition | None = None
    """Of a list that is too long to be read at once: the position up to which it tells."""
    row_names: bytes | None = None
    """JSON with ids and versions of its rows, of a page that is too long to be read at once."""
    count: int | None = None
    """How many rows or changes are in it, where they were counted."""
    restricted: bool = False
    """Whether it is to be masked for whoever may not see what is restricted."""


@dataclass(frozen=True)
class Missing:
    """That there is no such record."""

    stale: bool = False
    """Whether it may be there, for events of it could not be applied."""


class Body:
    """JSON, and the same compressed once that has been asked for."""

    __slots__ = ("_compressed", "_compressing", "_on_growth", "json")

    def __init__(self, json: bytes, on_growth: Callable[[], None] = lambda: None) -> None:
        """Take JSON.

        Args:
            json: its text.
            on_growth: called when the compressed form takes memory as well.
        """
        self.json = json
        self._on_growth = on_growth
        self._compressed: bytes | None = None
        self._compressing: asyncio.Task[bytes] | None = None

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return len(self.json) + len(self._compressed or b"")

    async def compressed(self) -> bytes:
        """Return it compressed with gzip: once, however many ask at the same time."""
        if self._compressed is not None:
            return self._compressed
        if len(self.json) < _COMPRESS_ASIDE_FROM_BYTES:
            return self._keep(gzip.compress(self.json, _LEVEL, mtime=0))
        if self._compressing is None:
            self._compressing = asyncio.create_task(self._compress())
        # A client that goes away must not end what others wait for.
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
