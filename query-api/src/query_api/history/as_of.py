"""Records and lists as they were, in the shapes that they have now."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ops.base.record_etags import RecordETag
from projections.list_items import list_item
from projections.tables import EntityTable
from query_api.answers import answer, common_headers, not_found
from query_api.conditional import ANY, accepts_gzip, known_etags
from query_api.history.documentation import AS_OF_HEADER
from query_api.history.past_lists import PastLists
from query_api.history.points import Point
from query_api.history.reading import Histories
from query_api.reading import Content, wrapped

_GZIP = zlib.MAX_WBITS + 16
_LEVEL = 1


async def single_as_of(
    request: Request,
    histories: Histories,
    table: EntityTable,
    entity_id: str,
    point: Point,
    *,
    fresh: bool,
) -> Response:
    """Answer with a record as it was.

    Raises:
        Problem: 404, there was none.
    """
    state = await histories.state(table.entity, entity_id, point)
    if state is None or state.record is None:
        raise not_found(fresh=fresh and (state is None or state.is_removal))
    body = wrapped(table, state.record)
    etag = str(RecordETag.of(state.version, state.log_id, body))
    response = await answer(request, Content(etag, body, stale=not fresh), fresh=fresh)
    response.headers[AS_OF_HEADER] = f"position={state.position}, version={state.version}"
    return response


async def list_as_of(
    request: Request, lists: PastLists, table: EntityTable, moment: datetime, *, fresh: bool
) -> Response:
    """Answer with a list as it was; empty before its first record.

    It is sent as it is read. Where it cannot be read to its end it is broken off, so that it is taken for no
    list at all.
    """
    point = await lists.point_at(moment)
    # What was at a position of a log does not change, but for how it is told and shown.
    etag = f'"{point.log_id}-{table.version}-{point.generation}-as-of-{point.position}"'
    headers = {"ETag": etag, **common_headers(fresh=fresh), AS_OF_HEADER: f"position={point.position}"}
    if known_etags(request.headers) & {etag, ANY}:
        return Response(status_code=304, headers=headers)
    parts = _parts(table, lists.records(table.entity, point))
    begun = [await anext(parts)]  # what fails before anything is sent is told as such
    if accepts_gzip(request.headers):
        headers["Content-Encoding"] = "gzip"
        return StreamingResponse(
            _compressed(_all(begun, parts)), headers=headers, media_type="application/json"
        )
    return StreamingResponse(_all(begun, parts), headers=headers, media_type="application/json")


async def _parts(table: EntityTable, stretches: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    separator = b'{"content":['
    async for records in stretches:
        shown = records
        if table.record is not table.list_item:
            shown = await asyncio.to_thread(_list_items, table, records)
        yield separator + shown
        separator = b","
    yield b"]}" if separator == b"," else separator + b"]}"


async def _all(begun: list[bytes], parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    for part in begun:
        yield part
    async for part in parts:
        yield part


async def _compressed(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    compressor = zlib.compressobj(_LEVEL, wbits=_GZIP)
    async for part in parts:
        if packed := await asyncio.to_thread(compressor.compress, part):
            yield packed
    yield compressor.flush()


def _list_items(table: EntityTable, records: bytes) -> bytes:
    items = [list_item(table.entity, record) for record in json.loads(b"[%s]" % records)]
    return json.dumps(items, ensure_ascii=False, separators=(",", ":"))[1:-1].encode()
