"""Caches of lists, records and short histories."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from starlette.requests import Request

from ops.base.database.shared_reads import SharedReads
from ops.base.sign_in import VerifiedToken
from query_api import metrics
from query_api.database.lists import Lists
from query_api.database.source import LIST_BYTES
from query_api.freshness.notifications import ChangeWatch, Notifications
from query_api.http.representation import Body, Content, Missing
from query_api.masking.masks import apply_mask, is_masked_for, masked_list, masked_tag, unmasked_tags
from query_api.paging.statement import rows_on_all_pages
from query_api.paging.view import COUNT
from read_model.tables import EntityTable, ReadTable

MAX_LIST_BYTES: Final = 2 * LIST_BYTES
"""Bound of all cached lists together, including compressed forms."""

_Form = Literal["complete", "masked", "count"]

_OVERHEAD_BYTES: Final = 700
"""Memory of a cached answer in addition to its JSON."""


class CachedAnswer(Body):
    """A cached answer.

    Attributes:
        content: the answer.
        watch: whether the answer has changed since it was read; None: changes might be missed.
        measured: the part of its size that the cache has counted.
    """

    __slots__ = ("content", "measured", "watch")

    content: Content
    watch: ChangeWatch | None
    measured: int


class _Cache:
    """An LRU cache of answers, bounded in bytes."""

    def __init__(self, max_bytes: int) -> None:
        self.size = 0
        self.max_bytes = max_bytes
        self._answers: OrderedDict[Hashable, CachedAnswer] = OrderedDict()

    def get(self, key: Hashable) -> CachedAnswer | None:
        """Return a cached answer, current or not."""
        found = self._answers.get(key)
        if found is not None:
            self._answers.move_to_end(key)
        return found

    def put(self, key: Hashable, content: Content, json: bytes, watch: ChangeWatch | None) -> CachedAnswer:
        """Cache an answer, replacing the previous one with its key, and return it."""
        answer = self._answers.get(key)
        if answer is None or answer.json is not json:
            self._drop(key)
            answer = self._answers[key] = CachedAnswer(json, lambda: self._measure(key))
            answer.measured = 0
            self._measure(key)
        answer.content, answer.watch = content, watch
        return answer

    def _measure(self, key: Hashable) -> None:
        answer = self._answers.get(key)
        if answer is None:
            return
        size = answer.size + _OVERHEAD_BYTES
        self.size += size - answer.measured
        answer.measured = size
        while self.size > self.max_bytes:
            self._drop(next(iter(self._answers)))

    def _drop(self, key: Hashable) -> None:
        dropped = self._answers.pop(key, None)
        if dropped is not None:
            self.size -= dropped.measured


class _Answers:
    """Answers that are cached until a change is notified."""

    def __init__(self, notifications: Notifications, max_bytes: int) -> None:
        self._notifications = notifications
        self._cache = _Cache(max_bytes)

    @property
    def size(self) -> int:
        """Bytes cached."""
        return self._cache.size

    def clear(self) -> None:
        """Drop all answers, including those being read now: their data may have been erased."""
        self._cache = _Cache(self._cache.max_bytes)

    def _current(self, key: Hashable) -> CachedAnswer | None:
        answer = self._cache.get(key)
        if answer is None or answer.watch is None or not answer.watch.is_current:
            return None
        metrics.FROM_MEMORY.inc()
        return answer


class CachedLists(_Answers):
    """Cached lists."""

    def __init__(
        self, lists: Lists, notifications: Notifications, *, max_bytes: int = MAX_LIST_BYTES
    ) -> None:
        super().__init__(notifications, max_bytes)
        self._lists = lists
        # One per list, so that no request waits for another list.
        self._reads: dict[Hashable, SharedReads[frozenset[str], tuple[Content, Body | None]]] = {}

    async def read(
        self,
        table: EntityTable,
        *,
        known_etags: Collection[str] = (),
        masked: bool = False,
        up_to: int | None = None,
    ) -> tuple[Content, Body | None]:
        """Return a list's content, and its body unless `known_etags` has its entity tag.

        Args:
            up_to: a longer list, in rows, is only counted; None: no limit.
        """
        if up_to is not None:
            count = await self._read(table, "count", ())
            body = count[1]
            if body is not None and rows_on_all_pages(body.json) > up_to:
                return count
        return await self._read(table, "masked" if masked else "complete", known_etags)

    async def _read(
        self, table: EntityTable, form: _Form, known_etags: Collection[str]
    ) -> tuple[Content, Body | None]:
        key = (table.name, form)
        if (cached := self._current(key)) is not None:
            return cached.content, cached
        reads = self._reads.get(key)
        if reads is None:
            reads = self._reads[key] = SharedReads(partial(self._fetch_all, table, form))
        answer = await reads.get(frozenset(known_etags))
        if answer is None:
            raise AssertionError("every list has an answer")
        return answer

    async def _fetch_all(
        self, table: EntityTable, form: _Form, requests: Collection[frozenset[str]]
    ) -> dict[frozenset[str], tuple[Content, Body | None]]:
        return {known: await self._fetch(table, form, known) for known in requests}

    async def _fetch(
        self, table: EntityTable, form: _Form, known: frozenset[str]
    ) -> tuple[Content, Body | None]:
        key, cache = (table.name, form), self._cache
        cached = cache.get(key)
        watch = self._notifications.watch(table)  # begins before the list is read
        if cached:
            known |= {cached.content.etag}
        if form == "masked":
            content = await self._masked(table, known_etags=known)
        else:
            content = await self._lists.list(table, COUNT if form == "count" else None, known_etags=known)
        json = content.json
        if json is None and cached is not None and content.etag == cached.content.etag:
            json, content = cached.json, replace(content, count=cached.content.count)
        return content, None if json is None else cache.put(key, content, json, watch)

    async def _masked(self, table: EntityTable, *, known_etags: Collection[str]) -> Content:
        content, body = await self.read(table, known_etags=unmasked_tags(known_etags))
        etag, json = masked_tag(content.etag), None
        if body is not None and etag not in known_etags:
            json = await apply_mask(partial(masked_list, table.entity), body.json)
        return replace(content, etag=etag, json=json)


MAX_RECORD_BYTES: Final = 16_000_000
"""Bound of all cached records and histories together."""
LONGEST_RECORD_BYTES: Final = 128 * 1024
"""Longest cached record or history."""

Answer = tuple[Content, Body]
Read = Callable[[], Awaitable[Content | Missing]]
Mask = Callable[[Content], Awaitable[Content | Missing]]
_MASKED: Final = "masked"


class CachedRecords(_Answers):
    """Cached records and histories."""

    def __init__(
        self,
        notifications: Notifications,
        *,
        max_bytes: int = MAX_RECORD_BYTES,
        longest_bytes: int = LONGEST_RECORD_BYTES,
    ) -> None:
        super().__init__(notifications, max_bytes)
        self._longest_bytes = longest_bytes

    async def read_for(
        self,
        token: VerifiedToken,
        table: ReadTable,
        stream: str,
        read: Read,
        *,
        part: Hashable = None,
        mask: Mask,
    ) -> Answer | Missing:
        """Return the answer for a user, masked if necessary; see `read`."""
        if not is_masked_for(token):
            found = await self.read(table, stream, read, part=part)
            if isinstance(found, Missing) or not is_masked_for(token, restricted=found[0].restricted):
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
        """Return the cached answer, or read and cache it.

        Args:
            read: reads the unmasked answer.
            part: distinguishes answers about a stream; None: the record itself.
            mask: derives the masked answer, which is cached, too.
        """
        if mask is not None:
            read, part = partial(self._masked, table, stream, read, part, mask), (_MASKED, part)
        key, cache = (stream, part), self._cache
        if (cached := self._current(key)) is not None:
            return cached.content, cached
        watch = self._notifications.watch(table, stream)  # begins before the record is read
        content = await read()
        if isinstance(content, Missing):
            return content
        json = content.json or b""
        if watch is None or not watch.is_current or len(json) > self._longest_bytes:
            return content, Body(json)
        return content, cache.put(key, content, json, watch)

    async def _masked(
        self, table: ReadTable, stream: str, read: Read, part: Hashable, mask: Mask
    ) -> Content | Missing:
        found = await self.read(table, stream, read, part=part)
        return found if isinstance(found, Missing) else await mask(found[0])


def records_of(request: Request) -> CachedRecords:
    """Return the application's cached records."""
    records: CachedRecords = request.app.state.records
    return records
