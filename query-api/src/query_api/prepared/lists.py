"""The lists as they are now, read only when they have changed."""

from collections.abc import Collection, Hashable
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from ops.base.database.shared_reads import SharedReads
from projections.tables import EntityTable
from query_api import metrics
from query_api.freshness.notified import Notified
from query_api.http.representation import Content
from query_api.masking.masking import aside, masked_list, masked_tag, unmasked_tags
from query_api.paging.statement import rows_on_all_pages
from query_api.paging.view import COUNT
from query_api.prepared.kept import Body, Kept
from query_api.reading.bounds import LIST_BYTES
from query_api.reading.lists import Lists

MAX_LIST_BYTES: Final = 2 * LIST_BYTES
"""Of all prepared lists together, compressed forms included; the longer ones are sent as they are read."""

_Form = Literal["whole", "masked", "count"]
"""What of a list is kept."""


class PreparedLists:
    """All of them that are kept."""

    def __init__(self, lists: Lists, notified: Notified, *, max_bytes: int = MAX_LIST_BYTES) -> None:
        """Prepare to prepare.

        Args:
            lists: where they are read.
            notified: tells what has changed.
            max_bytes: of all that is kept.
        """
        self._lists = lists
        self._notified = notified
        self._kept = Kept(max_bytes)
        # One for each table, so that nobody waits for another list than their own.
        self._reads: dict[Hashable, SharedReads[frozenset[str], tuple[Content, Body | None]]] = {}

    @property
    def size(self) -> int:
        """Bytes kept."""
        return self._kept.size

    def forget(self) -> None:
        """Keep nothing, nor what is being read just now: it may have been erased."""
        self._kept = Kept(self._kept.max_bytes)

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
        prepared = self._kept.get(key)
        if prepared is not None and prepared.is_current:
            metrics.FROM_MEMORY.inc()
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
        key, kept = (table.name, form), self._kept
        prepared = kept.get(key)
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
        return content, None if json is None else kept.keep(key, content, json, unchanged)

    async def _masked(self, table: EntityTable, *, known_etags: Collection[str]) -> Content:
        content, body = await self.read(table, known_etags=unmasked_tags(known_etags))
        etag, json = masked_tag(content.etag), None
        if body is not None and etag not in known_etags:
            json = await aside(partial(masked_list, table.entity), body.json)
        return replace(content, etag=etag, json=json)
