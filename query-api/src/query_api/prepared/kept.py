"""Answers kept ready to be sent, as JSON and compressed, for as long as nothing else has been notified.

An answer from memory is as current as what has been notified. Where a notification is lost it is as old as
the lease at most (`notified`), and it is never older than what its client has written. Where nobody knows
what has been notified the database is asked; of a list, only for its ETag, if that is still the same.
"""

import asyncio
import gzip
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import replace
from functools import partial
from typing import Final

from starlette.requests import Request

from ops.base.shared_reads import SharedReads
from ops.base.sign_in import VerifiedToken
from projections.tables import EntityTable, ReadTable
from query_api import metrics
from query_api.bounds import LIST_BYTES
from query_api.masking import aside, masked_list, masked_tag, sees_masked, unmasked_tags
from query_api.notified import Notified, Unchanged
from query_api.reading import Content, Missing, ReadTables

MAX_LIST_BYTES: Final = 2 * LIST_BYTES
"""Of all prepared lists together, compressed forms included; the longer ones are sent as they are read."""
MAX_RECORD_BYTES: Final = 16_000_000
"""Of all prepared records and histories together."""
LONGEST_RECORD_BYTES: Final = 128 * 1024
"""A longer one is read each time, rather than many others."""
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


Answer = tuple[Content, Body]
"""What there is, and its JSON ready to be sent."""
Read = Callable[[], Awaitable[Content | Missing]]
Mask = Callable[[Content], Awaitable[Content]]
_MASKED: Final = "masked"


class _Prepared(Body):
    """An answer that is kept.

    Attributes:
        content: what it tells.
        unchanged: since when; None: nobody could tell.
        measured: its size, as far as that has been counted.
    """

    __slots__ = ("_kept", "_key", "content", "measured", "unchanged")

    def __init__(self, kept: "_Kept", key: Hashable, content: Content, json: bytes) -> None:
        super().__init__(json)
        self._kept, self._key = kept, key
        self.content = content
        self.unchanged: Unchanged | None = None
        self.measured = 0

    @property
    def is_current(self) -> bool:
        return self.unchanged is not None and self.unchanged.holds

    def _grown(self) -> None:
        self._kept.measure(self._key, self)


class _Kept:
    """Answers, bounded in bytes: the one that was not asked for the longest goes first.

    Attributes:
        size: bytes kept.
        max_bytes: the bound.
    """

    def __init__(self, max_bytes: int) -> None:
        self.size = 0
        self.max_bytes = max_bytes
        self._prepared: OrderedDict[Hashable, _Prepared] = OrderedDict()

    def get(self, key: Hashable) -> _Prepared | None:
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
            prepared = self._prepared[key] = _Prepared(self, key, content, json)
            self.measure(key, prepared)
        prepared.content, prepared.unchanged = content, unchanged
        return prepared

    def measure(self, key: Hashable, prepared: _Prepared) -> None:
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


class PreparedRecords:
    """Records and short histories: what was read of one stream, until that stream changes."""

    def __init__(
        self,
        notified: Notified,
        *,
        max_bytes: int = MAX_RECORD_BYTES,
        longest_bytes: int = LONGEST_RECORD_BYTES,
    ) -> None:
        """Prepare to prepare.

        Args:
            notified: tells what has changed.
            max_bytes: of all that is kept.
            longest_bytes: of one answer that is kept.
        """
        self._notified = notified
        self._kept = _Kept(max_bytes)
        self._longest_bytes = longest_bytes

    @property
    def size(self) -> int:
        """Bytes kept."""
        return self._kept.size

    def forget(self) -> None:
        """Keep nothing, nor what is being read just now: it may have been erased."""
        self._kept = _Kept(self._kept.max_bytes)

    async def shown_to(
        self,
        token: VerifiedToken,
        table: ReadTable,
        stream: str,
        read: Read,
        *,
        part: Hashable = None,
        mask: Mask,
    ) -> Answer | Missing:
        """Return what somebody is shown of a stream: masked, if they may not see all; see `read`."""
        if not sees_masked(token):
            found = await self.read(table, stream, read, part=part)
            if isinstance(found, Missing) or not sees_masked(token, restricted=found[0].restricted):
                return found
        return await self.read(table, stream, read, part=part, mask=mask)

    async def read(
        self,
        table: ReadTable,
        stream: str,
        read: Read,
        *,
        part: Hashable = None,
        mask: Mask | None = None,
    ) -> Answer | Missing:
        """Return what there is of a stream.

        Args:
            table: where it is read.
            stream: its name.
            read: reads it.
            part: what of the stream is asked for; None: its record.
            mask: makes of it what is shown to those who may not see all; there is one such form at most.
        """
        if mask is not None:
            read, part = partial(self._masked, table, stream, read, part, mask), (_MASKED, part)
        key, kept = (stream, part), self._kept
        prepared = kept.get(key)
        if prepared is not None and prepared.is_current:
            metrics.FROM_MEMORY.inc()
            return prepared.content, prepared
        unchanged = self._notified.watch(table, stream)  # from before it is read
        content = await read()
        if isinstance(content, Missing):
            return content
        json = content.json or b""
        if unchanged is None or not unchanged.holds or len(json) > self._longest_bytes:
            return content, Body(json)
        return content, kept.keep(key, content, json, unchanged)

    async def _masked(
        self, table: ReadTable, stream: str, read: Read, part: Hashable, mask: Mask
    ) -> Content | Missing:
        found = await self.read(table, stream, read, part=part)
        return found if isinstance(found, Missing) else await mask(found[0])


def records_of(request: Request) -> PreparedRecords:
    """Return what the application has prepared."""
    records: PreparedRecords = request.app.state.records
    return records


class PreparedLists:
    """The lists as they are now, read only when they have changed."""

    def __init__(self, tables: ReadTables, notified: Notified, *, max_bytes: int = MAX_LIST_BYTES) -> None:
        """Prepare to prepare.

        Args:
            tables: where lists are read.
            notified: tells what has changed.
            max_bytes: of all that is kept.
        """
        self._tables = tables
        self._notified = notified
        self._kept = _Kept(max_bytes)
        # One for each table, so that nobody waits for another list than their own.
        self._reads: dict[Hashable, SharedReads[frozenset[str], tuple[Content, Body | None]]] = {}

    @property
    def size(self) -> int:
        """Bytes kept."""
        return self._kept.size

    def forget(self) -> None:
        """Keep nothing, nor what is being read just now: it may have been erased."""
        self._kept = _Kept(self._kept.max_bytes)

    async def read(
        self, table: EntityTable, *, known_etags: Collection[str] = (), masked: bool = False
    ) -> tuple[Content, Body | None]:
        """Return what a list is now, and its body unless its ETag is among those the client has.

        Args:
            table: the table.
            known_etags: of lists the client has.
            masked: whether it is for somebody who may not see personal data.
        """
        prepared = self._kept.get((table.name, masked))
        if prepared is not None and prepared.is_current:
            metrics.FROM_MEMORY.inc()
            return prepared.content, prepared
        reads = self._reads.get((table.name, masked))
        if reads is None:
            reads = SharedReads(partial(self._read_all, table, masked))
            self._reads[table.name, masked] = reads
        answer = await reads.get(frozenset(known_etags))
        if answer is None:
            raise AssertionError("every list has an answer")
        return answer

    async def _read_all(
        self,
        table: EntityTable,
        masked: bool,  # noqa: FBT001 - a key's part, like the table
        askers: Collection[frozenset[str]],
    ) -> dict[frozenset[str], tuple[Content, Body | None]]:
        return {known: await self._read_one(table, known, masked=masked) for known in askers}

    async def _read_one(
        self, table: EntityTable, known: frozenset[str], *, masked: bool
    ) -> tuple[Content, Body | None]:
        key, kept = (table.name, masked), self._kept
        prepared = kept.get(key)
        unchanged = self._notified.watch(table)  # from before it is read
        if prepared:
            known |= {prepared.content.etag}
        read = self._masked if masked else self._tables.list
        content = await read(table, known_etags=known)
        json = content.json
        if json is None and prepared is not None and content.etag == prepared.content.etag:
            json, content = prepared.json, replace(content, count=prepared.content.count)
        return content, None if json is None else kept.keep(key, content, json, unchanged)

    async def _masked(self, table: EntityTable, *, known_etags: Collection[str]) -> Content:
        content, body = await self.read(table, known_etags=unmasked_tags(known_etags))
        etag, json = masked_tag(content.etag), None
        if body is not None and etag not in known_etags:
            json = await aside(partial(masked_list, table.entity), body.json)
        return replace(content, etag=etag, json=json)
