"""Records and lists as they were, in the shapes that they have now."""

import json
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from ops.base.record_etags import RecordETag
from projections.list_items import list_item
from projections.tables import EntityTable
from query_api.answers import answer, not_found
from query_api.history.documentation import AS_OF_HEADER
from query_api.history.points import Point
from query_api.history.reading import Histories
from query_api.reading import Content, wrapped


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
    request: Request, histories: Histories, table: EntityTable, moment: datetime, *, fresh: bool
) -> Response:
    """Answer with a list as it was; empty before its first record."""
    point = await histories.point_at(moment)
    # What was at a position of a log does not change, but for how it is told and shown.
    etag = f'"{point.log_id}-{table.version}-{point.generation}-as-of-{point.position}"'
    items = [
        record if table.record is table.list_item else _list_item(table, record)
        for record in await histories.states(table.entity, point.position)
    ]
    body = b'{"content":[' + b",".join(items) + b"]}"
    response = await answer(request, Content(etag, body, stale=not fresh), fresh=fresh)
    response.headers[AS_OF_HEADER] = f"position={point.position}"
    return response


def _list_item(table: EntityTable, record: bytes) -> bytes:
    item = list_item(table.entity, json.loads(record))
    return json.dumps(item, ensure_ascii=False, separators=(",", ":")).encode()
