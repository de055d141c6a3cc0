"""Lists, records and short histories that are kept until they change."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from starlette.requests import Request

from ops.base.database.shared_reads import SharedReads
from ops.base.sign_in import VerifiedToken
from projections.tables import EntityTable, ReadTable
from query_api import metrics
from query_api.freshness.notified import Notified, Unchanged
from query_api.http.representation import Body, Content, Missing
from query_api.masking.masking import aside, masked_list, masked_tag, sees_masked, unmasked_tags
from query_api.paging.statement import rows_on_all_pages
from query_api.paging.view import COUNT
from query_api.reading.lists import Lists
from query_api.reading.source import LIST_BYTES

MAX_LIST_BYTES: Final = 2 * LIST_BYTES
"""Of all prepared lists together, compressed forms included; the longer ones are sent as they are read."""

_Form = Literal["whole", "masked", "count"]
"""What of a list is kept."""


_OVERHEAD_BYTES: Final = 700
"""Memory of a prepared answer beside its JSON."""


class Prepared(Body):
    """A cached answer.

    Attributes:
        content: the answer.
        unchanged: whether it has changed since it was read; None: changes might be missed.
        measured: the part of its size that the cache has counted.
    """

    __slots__ = ("content", "measured", "unchanged")

    content: Content
    unchanged: Unchanged | None
    measured: int


class _Cache:
    """Answers, bounded in bytes: the least recently used one is dropped first."""

    def __init__(self, max_bytes: int) -> None:
        self.size = 0
        self.max_bytes = max_bytes
        self._prepared: OrderedDict[Hashable, Prepared] = OrderedDict()

    def get(self, key: Hashable) -> Prepared | None:
        """Return a cached answer, whether it is current or not."""
        found = self._prepared.get(key)
        if found is not None:
            self._prepared.move_to_end(key)
        return found

    def put(self, key: Hashable, content: Content, json: bytes, unchanged: Unchanged | None) -> Prepared:
        """Cache an answer in place of the former one with its key, and return it."""
        prepared = self._prepared.get(key)
        if prepared is None or prepared.json is not json:
            self._drop(key)
            prepared = self._prepared[key] = Prepared(json, lambda: self._measure(key))
            prepared.measured = 0
            self._measure(key)
        prepared.content, prepared.unchanged = content, unchanged
        return prepared

    def _measure(self, key: Hashable) -> None:
        prepared = self._prepared.get(key)
        if prepared is None:
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


class _Answers:
    """Answers that are cached until a change of them is notified."""

    def __init__(self, notified: Notified, max_bytes: int) -> None:
        self._notified = notified
        self._cache = _Cache(max_bytes)

    @property
    def size(self) -> int:
        """Bytes cached."""
        return self._cache.size

    def forget(self) -> None:
        """Drop all answers, and those that are being read now: their data may have been erased."""
        self._cache = _Cache(self._cache.max_bytes)

    def _current(self, key: Hashable) -> Prepared | None:
        prepared = self._cache.get(key)
        if prepared is None or prepared.unchanged is None or not prepared.unchanged.holds:
            return None
        metrics.FROM_MEMORY.inc()
        return prepared


class PreparedLists(_Answers):
    """Cached lists."""

    def __init__(self, lists: Lists, notified: Notified, *, max_bytes: int = MAX_LIST_BYTES) -> None:
        """Begin with an empty cache.

        Args:
            lists: reads them.
            notified: says what has changed.
            max_bytes: the cache's bound.
        """
        super().__init__(notified, max_bytes)
        self._lists = lists
        # One for each table, so that nobody waits for another list than their own.
        self._reads: dict[Hashable, SharedReads[frozenset[str], tuple[Content, Body | None]]] = {}

    async def read(
        self,
        table: EntityTable,
        *,
        known_etags: Collection[str] = (),
        masked: bool = False,
        up_to: int | None = None,
    ) -> tuple[Content, Body | None]:
        """Return what a list is now, and its body unless its ETag is among those the client has.

        Args:
            table: the table.
            known_etags: of lists the client has.
            masked: whether it is for somebody who may not see personal data.
            up_to: a list of more rows is only counted; None: none is.
        """
        if up_to is not None:
            count = await self._prepared(table, "count", ())
            body = count[1]
            if body is not None and rows_on_all_pages(body.json) > up_to:
                return count
        return await self._prepared(table, "masked" if masked else "whole", known_etags)

    async def _prepared(
        self, table: EntityTable, form: _Form, known_etags: Collection[str]
    ) -> tuple[Content, Body | None]:
        key = (table.name, form)
        prepared = self._current(key)
        if prepared is not None:
            return prepared.content, prepared
        reads = self._reads.get(key)
        if reads is None:
            reads = self._reads[key] = SharedReads(partial(self._read_all, table, form))
        answer = await reads.get(frozenset(known_etags))
        if answer is None:
            raise AssertionError("every list has an answer")
        return answer

    async def _read_all(
        self, table: EntityTable, form: _Form, askers: Collection[frozenset[str]]
    ) -> dict[frozenset[str], tuple[Content, Body | None]]:
        return {known: await self._read_one(table, form, known) for known in askers}

    async def _read_one(
        self, table: EntityTable, form: _Form, known: frozenset[str]
    ) -> tuple[Content, Body | None]:
        key, cache = (table.name, form), self._cache
        prepared = cache.get(key)
        unchanged = self._notified.watch(table)  # from before it is read
        if prepared:
            known |= {prepared.content.etag}
        if form == "masked":
            content = await self._masked(table, known_etags=known)
        else:
            content = await self._lists.list(table, COUNT if form == "count" else None, known_etags=known)
        json = content.json
        if json is None and prepared is not None and content.etag == prepared.content.etag:
            json, content = prepared.json, replace(content, count=prepared.content.count)
        return content, None if json is None else cache.put(key, content, json, unchanged)

    async def _masked(self, table: EntityTable, *, known_etags: Collection[str]) -> Content:
        content, body = await self.read(table, known_etags=unmasked_tags(known_etags))
        etag, json = masked_tag(content.etag), None
        if body is not None and etag not in known_etags:
            json = await aside(partial(masked_list, table.entity), body.json)
        return replace(content, etag=etag, json=json)


MAX_RECORD_BYTES: Final = 16_000_000
"""Of all prepared records and histories together."""
LONGEST_RECORD_BYTES: Final = 128 * 1024
"""A longer one is read each time, rather than many others."""

Answer = tuple[Content, Body]
"""What there is, and its JSON ready to be sent."""
Read = Callable[[], Awaitable[Content | Missing]]
Mask = Callable[[Content], Awaitable[Content]]
_MASKED: Final = "masked"


class PreparedRecords(_Answers):
    """Cached records and histories."""

    def __init__(
        self,
        notified: Notified,
        *,
        max_bytes: int = MAX_RECORD_BYTES,
        longest_bytes: int = LONGEST_RECORD_BYTES,
    ) -> None:
        """Begin with an empty cache.

        Args:
            notified: says what has changed.
            max_bytes: the cache's bound.
            longest_bytes: the longest answer that is cached.
        """
        super().__init__(notified, max_bytes)
        self._longest_bytes = longest_bytes

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
        key, cache = (stream, part), self._cache
        if (prepared := self._current(key)) is not None:
            return prepared.content, prepared
        unchanged = self._notified.watch(table, stream)  # from before it is read
        content = await read()
        if isinstance(content, Missing):
            return content
        json = content.json or b""
        if unchanged is None or not unchanged.holds or len(json) > self._longest_bytes:
            return content, Body(json)
        return content, cache.put(key, content, json, unchanged)

    async def _masked(
        self, table: ReadTable, stream: str, read: Read, part: Hashable, mask: Mask
    ) -> Content | Missing:
        found = await self.read(table, stream, read, part=part)
        return found if isinstance(found, Missing) else await mask(found[0])


def records_of(request: Request) -> PreparedRecords:
    """Return what the application has prepared."""
    records: PreparedRecords = request.app.state.records
    return records
