"""Lists that are sent as they are read, for they are longer than what should be held at once.

Where one cannot be read to its end it is broken off, so that it is taken for no list at all.
"""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ops.base.http.consistency import LogPosition
from ops.base.http.problems import unavailable
from ops.base.records.entities import EntityType
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import ERASED, MASKED, masked_record
from ops.base.sign_in.long_responses import stream_while_valid
from projections.tables import REVISIONS, EntityTable
from query_api.freshness.waiting import Freshness
from query_api.history.past_lists import PastLists
from query_api.history.past_states import LogPoint
from query_api.http.answers import accepts_gzip, common_headers
from query_api.http.representation import Content
from query_api.paging.view import View
from query_api.reading.lists import Lists

_GZIP = zlib.MAX_WBITS + 16
_LEVEL = 1
_READ_AT_ONCE = 1_000
"""Rows that are asked for by name, of many that are named."""


class LongLists:
    """Lists and pages as they are now, which are too long to be read at once.

    Their rows are read from the revisions, which do not change meanwhile.
    """

    def __init__(self, lists: Lists, revisions: PastLists, freshness: Freshness) -> None:
        """Prepare to read.

        Args:
            lists: read which rows a list has.
            revisions: read the rows.
            freshness: waits until the revisions have caught up with the lists.
        """
        self._lists = lists
        self._revisions = revisions
        self._freshness = freshness

    async def answer(
        self, request: Request, table: EntityTable, content: Content, *, fresh: bool, masked: bool
    ) -> Response:
        """Answer with a list, or a page of it.

        Args:
            request: the request.
            table: which list.
            content: what was read of it.
            fresh: whether it includes what the client has written.
            masked: whether personal data is masked.

        Raises:
            Problem: 503, it cannot be read yet.
        """
        if content.long_at is None:
            raise AssertionError("only a long list is read from the revisions")
        point, page = await self._point(content.long_at), None
        if content.row_names is None:
            records = self._revisions.records(table.entity, point, masked=masked)
        else:
            named = json.loads(content.row_names)
            rows, page = list(zip(named["ids"], named["versions"], strict=True)), named["page"]
            records = self._revisions.rows(table.entity, point, rows, masked=masked)
        headers = {"ETag": content.etag, **common_headers(fresh=fresh)}
        return await streamed(request, table, records, headers, masked=masked, page=page)

    async def items(
        self, table: EntityTable, view: View, *, masked: bool
    ) -> AsyncIterator[list[dict[str, Any]]]:
        """Give all rows of a list, as lists show them, and first of all none: then it has begun.

        They are named many at a time, as of one moment; a row that is moved between two such moments may be
        missed, or come twice.

        Args:
            table: which list.
            view: how it is narrowed and sorted; its size is how many are named at once.
            masked: whether they are for somebody who may not see personal data.

        Raises:
            Problem: 503, it cannot be read yet.
        """
        async for position, named in self._lists.walk(table, view, at_once=_READ_AT_ONCE):
            yield []
            point = await self._point(position)
            for some in named:
                async for records in self._revisions.rows(
                    table.entity, point, json.loads(some), masked=masked
                ):
                    items = await asyncio.to_thread(_list_items, table.entity, records, masked=masked)
                    del records  # a slow client keeps this waiting
                    yield items

    async def _point(self, at: LogPosition) -> LogPoint:
        if not await self._freshness.wait(REVISIONS.name, [at]):
            raise unavailable("So long a list cannot be read yet. Please try again.")
        return await self._revisions.point_of(at.position)


async def streamed(
    request: Request,
    table: EntityTable,
    records: AsyncIterator[bytes],
    headers: Mapping[str, str],
    *,
    masked: bool,
    page: Mapping[str, int] | None = None,
) -> Response:
    """Answer with a list, as its records come in.

    Args:
        request: what is answered.
        table: which list.
        records: JSON, with commas between.
        headers: of the answer.
        masked: whether it is for somebody who may not see personal data.
        page: what a page says of itself.
    """
    end = b"]}" if page is None else b'],"page":%s}' % json_bytes(page)
    parts = _parts(table, records, end, masked=masked)
    begun = [await anext(parts)]  # what fails before anything is sent is told as such
    content = stream_while_valid(request.scope, _all(begun, parts))
    if accepts_gzip(request.scope):
        headers = {**headers, "Content-Encoding": "gzip"}
        content = compressed(content)
    return StreamingResponse(content, headers=headers, media_type="application/json")


async def _parts(
    table: EntityTable, stretches: AsyncIterator[bytes], end: bytes, *, masked: bool
) -> AsyncIterator[bytes]:
    separator = b'{"content":['
    async for records in stretches:
        shown = records
        if table.entity.listed or masked:
            shown = await asyncio.to_thread(_joined_items, table.entity, records, masked=masked)
        yield separator + shown
        separator = b","
    yield end if separator == b"," else separator + end


async def _all(begun: list[bytes], parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    for part in begun:
        yield part
    async for part in parts:
        yield part


async def compressed(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Give the parts of an answer as gzip."""
    compressor = zlib.compressobj(_LEVEL, wbits=_GZIP)
    async for part in parts:
        if packed := await asyncio.to_thread(compressor.compress, part):
            yield packed
    yield compressor.flush()


def _joined_items(entity: EntityType, records: bytes, *, masked: bool) -> bytes:
    return json_bytes(_list_items(entity, records, masked=masked))[1:-1]


def _list_items(entity: EntityType, records: bytes, *, masked: bool) -> list[dict[str, Any]]:
    items = [entity.list_item(record) for record in json.loads(b"[%s]" % records)]
    # A list's items have more names than records.
    hiding = [
        MASKED if masked else next((one for one in (MASKED, ERASED) if one in item), None) for item in items
    ]
    return [masked_record(entity, item, by) if by else item for item, by in zip(items, hiding, strict=True)]
