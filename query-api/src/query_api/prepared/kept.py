"""Answers in memory, as JSON and compressed, within a bound."""

import asyncio
import gzip
from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

from query_api.freshness.known import Unchanged
from query_api.http.representation import Content

_OVERHEAD_BYTES: Final = 700
"""What an answer takes in memory beside its JSON."""

_COMPRESS_ASIDE_FROM_BYTES: Final = 32 * 1024
"""Compressing more than this takes milliseconds, which other requests need not wait for."""
_LEVEL: Final = 1  # a list of JSON records shrinks to a sixth; higher levels cost more than they save


class Body:
    """JSON, and the same compressed as soon as that has been asked for."""

    __slots__ = ("_compressed", "_compressing", "json")

    def __init__(self, json: bytes) -> None:
        """Take JSON.

        Args:
            json: its text.
        """
        self.json = json
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
        self._grown()
        return compressed

    def _grown(self) -> None:
        """It takes more memory now."""


class Prepared(Body):
    """An answer that is kept.

    Attributes:
        content: what it tells.
        unchanged: since when; None: nobody could tell.
        measured: its size, as far as that has been counted.
    """

    __slots__ = ("_kept", "_key", "content", "measured", "unchanged")

    def __init__(self, kept: "Kept", key: Hashable, content: Content, json: bytes) -> None:
        """Keep it.

        Args:
            kept: where.
            key: under which key.
            content: what it tells.
            json: the same as JSON.
        """
        super().__init__(json)
        self._kept, self._key = kept, key
        self.content = content
        self.unchanged: Unchanged | None = None
        self.measured = 0

    @property
    def is_current(self) -> bool:
        """Whether nothing has changed since."""
        return self.unchanged is not None and self.unchanged.holds

    def _grown(self) -> None:
        self._kept.measure(self._key, self)


class Kept:
    """Answers, bounded in bytes: the one that was not asked for the longest goes first.

    Attributes:
        size: bytes kept.
        max_bytes: the bound.
    """

    def __init__(self, max_bytes: int) -> None:
        """Keep nothing yet."""
        self.size = 0
        self.max_bytes = max_bytes
        self._prepared: OrderedDict[Hashable, Prepared] = OrderedDict()

    def get(self, key: Hashable) -> Prepared | None:
        """Return what is kept, whether it is current or not."""
        found = self._prepared.get(key)
        if found is not None:
            self._prepared.move_to_end(key)
        return found

    def keep(self, key: Hashable, content: Content, json: bytes, unchanged: Unchanged | None) -> Body:
        """Keep an answer in the place of the former one with its key, and return it."""
        prepared = self._prepared.get(key)
        if prepared is None or prepared.json is not json:
            self._drop(key)
            prepared = self._prepared[key] = Prepared(self, key, content, json)
            self.measure(key, prepared)
        prepared.content, prepared.unchanged = content, unchanged
        return prepared

    def measure(self, key: Hashable, prepared: Prepared) -> None:
        """Count what an answer takes, and make room for it, if it is kept."""
        if self._prepared.get(key) is not prepared:
            return
        size = prepared.size + _OVERHEAD_BYTES
        self.size += size - prepared.measured
        prepared.measured = size
        while self.size > self.max_bytes:
            self._drop(next(iter(self._prepared)))

    def _drop(self, key: Hashable) -> None:
        former = self._prepared.pop(key, None)
        if former is not None:
            self.size -= former.measured
