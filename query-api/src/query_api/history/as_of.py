"""Records and lists as they were, in the shapes that they have now."""

import json
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from projections.list_items import list_item
from projections.tables import EntityTable
from query_api.answers import answer, not_found
from query_api.history.documentation import AS_OF_HEADER
from query_api.history.points import Point
from query_api.history.reading import Histories
from query_api.reading import Content


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
    wrapper = table.entity.wrapper
    body = state.record if wrapper is None else b'{"%s":%s}' % (wrapper.encode(), state.record)
    response = await answer(request, Content(f'"{state.version}"', body, stale=not fresh), fresh=fresh)
    response.headers[AS_OF_HEADER] = f"position={state.position}, version={state.version}"
    return response


async def list_as_of(
    request: Request, histories: Histories, table: EntityTable, moment: datetime, *, fresh: bool
) -> Response:
    """Answer with a list as it was; empty before its first record."""
    position = await histories.position_at(moment)
    # What was at a position does not change, but for how it is shown.
    etag = f'"{table.version}-as-of-{position}"'
    items = [
        record if table.record is table.list_item else _list_item(table, record)
        for record in await histories.states(table.entity, position)
    ]
    body = b'{"content":[' + b",".join(items) + b"]}"
    response = await answer(request, Content(etag, body, stale=not fresh), fresh=fresh)
    response.headers[AS_OF_HEADER] = f"position={position}"
    return response


def _list_item(table: EntityTable, record: bytes) -> bytes:
    item = list_item(table.entity, json.loads(record))
    return json.dumps(item, ensure_ascii=False, separators=(",", ":")).encode()
