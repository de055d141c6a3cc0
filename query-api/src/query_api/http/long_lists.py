"""Lists that are too long for memory, sent while they are read.

If a list cannot be read to its end, the connection is closed before the body is complete, so that clients
notice.
"""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ops.base.http.consistency import LogPosition
from ops.base.http.long_responses import stream_while_valid
from ops.base.http.problems import unavailable
from ops.base.records.entities import EntityType
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import ERASED, MASKED, masked_record
from query_api.database.lists import Lists
from query_api.freshness.read_your_writes import Freshness
from query_api.history.past_lists import PastLists
from query_api.history.past_states import LogPoint
from query_api.http.answers import accepts_gzip, common_headers
from query_api.http.representation import Content
from query_api.paging.view import ListView
from read_model.tables import REVISIONS, EntityTable

_GZIP = zlib.MAX_WBITS + 16
_LEVEL = 1
_READ_AT_ONCE = 1_000
"""Named rows that are read from the revisions together."""


class LongLists:
    """Current lists and pages that are too long for memory.

    The read table provides the rows' ids and versions; the revisions, which do not change, provide the rows.
    """

    def __init__(self, lists: Lists, revisions: PastLists, freshness: Freshness) -> None:
        self._lists = lists
        self._revisions = revisions
        self._freshness = freshness

    async def answer(
        self, request: Request, table: EntityTable, content: Content, *, fresh: bool, masked: bool
    ) -> Response:
        """Return a streaming response with the list or page that `content` describes.

        Raises:
            Problem: 503, the revisions have not caught up yet.
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
        return await stream_list(request, table, records, headers, masked=masked, page=page)

    async def items(
        self, table: EntityTable, view: ListView, *, masked: bool
    ) -> AsyncIterator[list[dict[str, Any]]]:
        """Yield all items of a list: first an empty batch, once reading has begun.

        Row names are read in batches of `view.size`, each from one moment. A row that moves between two
        batches may be missed or appear twice.

        Raises:
            Problem: 503, the revisions have not caught up yet.
        """
        async for position, named in self._lists.walk(table, view, at_once=_READ_AT_ONCE):
            yield []
            point = await self._point(position)
            for some in named:
                async for records in self._revisions.rows(
                    table.entity, point, json.loads(some), masked=masked
                ):
                    items = await asyncio.to_thread(_list_items, table.entity, records, masked=masked)
                    del records  # frees memory while a slow client reads
                    yield items

    async def _point(self, at: LogPosition) -> LogPoint:
        if not await self._freshness.wait(REVISIONS.name, [at]):
            raise unavailable("This list is too long to be read yet. Please try again.")
        return await self._revisions.point_of(at.position)


async def stream_list(
    request: Request,
    table: EntityTable,
    records: AsyncIterator[bytes],
    headers: Mapping[str, str],
    *,
    masked: bool,
    page: Mapping[str, int] | None = None,
) -> Response:
    """Return a response that sends a list while its records are read.

    Args:
        records: batches of JSON records, separated by commas.
        page: the answer's member `page`.
    """
    end = b"]}" if page is None else b'],"page":%s}' % json_bytes(page)
    pieces = _pieces(table, records, end, masked=masked)
    first = await anext(pieces)  # an error before the first byte becomes a problem response
    content = stream_while_valid(request.scope, chain(first, pieces))
    if accepts_gzip(request.scope):
        headers = {**headers, "Content-Encoding": "gzip"}
        content = compressed(content)
    return StreamingResponse(content, headers=headers, media_type="application/json")


async def _pieces(
    table: EntityTable, batches: AsyncIterator[bytes], end: bytes, *, masked: bool
) -> AsyncIterator[bytes]:
    separator = b'{"content":['
    async for records in batches:
        items = records
        if table.entity.listed or masked:
            items = await asyncio.to_thread(_joined_items, table.entity, records, masked=masked)
        yield separator + items
        separator = b","
    yield end if separator == b"," else separator + end


async def chain(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield a piece, then further ones."""
    yield first
    async for piece in rest:
        yield piece


async def compressed(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Compress the pieces of a body with gzip."""
    compressor = zlib.compressobj(_LEVEL, wbits=_GZIP)
    async for piece in pieces:
        if packed := await asyncio.to_thread(compressor.compress, piece):
            yield packed
    yield compressor.flush()


def _joined_items(entity: EntityType, records: bytes, *, masked: bool) -> bytes:
    return json_bytes(_list_items(entity, records, masked=masked))[1:-1]


def _list_items(entity: EntityType, records: bytes, *, masked: bool) -> list[dict[str, Any]]:
    items = [entity.list_item(record) for record in json.loads(b"[%s]" % records)]
    # Items have fields that records lack, so the members that list masked and erased fields are made again.
    members = [
        MASKED if masked else next((one for one in (MASKED, ERASED) if one in item), None) for item in items
    ]
    return [masked_record(entity, item, by) if by else item for item, by in zip(items, members, strict=True)]
