"""Lists kept ready to be sent: as JSON and compressed, for as long as they are what the table holds.

Every request still asks the database which ETag the list has now, so no answer is older than its request.
Only what that ETag stands for need not be read, joined and compressed again.
"""

import asyncio
import gzip
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Final

from ops.base.shared_reads import SharedReads
from projections.tables import EntityTable
from query_api.bounds import LIST_BYTES
from query_api.reading import Content, ReadTables

MAX_BYTES: Final = 2 * LIST_BYTES
"""Of all prepared lists together, compressed forms included; the longer ones are sent as they are read."""

_COMPRESS_ASIDE_FROM_BYTES: Final = 32 * 1024
"""Compressing more than this takes milliseconds, which other requests need not wait for."""
_LEVEL: Final = 1  # a list of JSON records shrinks to a sixth; higher levels cost more than they save


class Body:
    """JSON, and the same compressed as soon as that has been asked for."""

    def __init__(self, json: bytes, *, on_growth: Callable[[], None] = lambda: None) -> None:
        """Take JSON.

        Args:
            json: its text.
            on_growth: called when the compressed form is there too.
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
            return gzip.compress(self.json, _LEVEL, mtime=0)
        if self._compressing is None:
            self._compressing = asyncio.create_task(self._compress())
        # A client that goes away must not end what others wait for.
        return await asyncio.shield(self._compressing)

    async def _compress(self) -> bytes:
        try:
            self._compressed = await asyncio.to_thread(gzip.compress, self.json, _LEVEL, mtime=0)
        finally:
            self._compressing = None
        self._on_growth()
        return self._compressed


@dataclass(frozen=True)
class _Prepared:
    etag: str
    body: Body


class PreparedLists:
    """The lists as they are now, read only when they have changed."""

    def __init__(self, tables: ReadTables, *, max_bytes: int = MAX_BYTES) -> None:
        """Prepare to prepare.

        Args:
            tables: where lists are read.
            max_bytes: of all that is kept; the list that was not asked for the longest goes first.
        """
        self._tables = tables
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, _Prepared] = OrderedDict()
        # One for each table, so that nobody waits for another list than their own.
        self._reads: dict[str, SharedReads[frozenset[str], tuple[Content, Body | None]]] = {}

    @property
    def size(self) -> int:
        """Bytes kept."""
        return sum(prepared.body.size for prepared in self._kept.values())

    async def read(
        self, table: EntityTable, *, known_etags: Collection[str] = ()
    ) -> tuple[Content, Body | None]:
        """Return what a list is now, and its body unless its ETag is among those the client has.

        Args:
            table: the table.
            known_etags: of lists the client has.
        """
        reads = self._reads.get(table.name)
        if reads is None:
            reads = self._reads[table.name] = SharedReads(partial(self._read_all, table))
        answer = await reads.get(frozenset(known_etags))
        if answer is None:
            raise AssertionError("every list has an answer")
        return answer

    async def _read_all(
        self, table: EntityTable, askers: Collection[frozenset[str]]
    ) -> dict[frozenset[str], tuple[Content, Body | None]]:
        return {known: await self._read_one(table, known) for known in askers}

    async def _read_one(self, table: EntityTable, known: frozenset[str]) -> tuple[Content, Body | None]:
        prepared = self._kept.get(table.name)
        content = await self._tables.list(table, known_etags=known | {prepared.etag} if prepared else known)
        if content.json is not None:
            body = Body(content.json, on_growth=self._shed)
            self._kept[table.name] = _Prepared(content.etag, body)
            self._kept.move_to_end(table.name)
            self._shed()
            return content, body
        if prepared is not None and content.etag == prepared.etag:
            if table.name in self._kept:
                self._kept.move_to_end(table.name)
            return content, prepared.body
        return content, None

    def _shed(self) -> None:
        while self._kept and self.size > self._max_bytes:
            self._kept.popitem(last=False)
