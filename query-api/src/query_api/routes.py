"""The queries' routes: the same two for every entity type."""

import re
from typing import Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from ops.base.consistency import POSITION_COOKIE, POSITION_HEADER, received_position
from ops.base.entities import ID_PATTERN
from ops.base.openapi import EntityId
from ops.base.sign_in import require_actor
from projections.tables import EntityTable
from query_api import documentation
from query_api.answers import answer, not_found
from query_api.conditional import known_etags
from query_api.freshness import Freshness
from query_api.paging.fields import sortable_fields
from query_api.paging.parameters import read_view
from query_api.prepared import PreparedLists
from query_api.reading import Missing, ReadTables

_ID: Final = re.compile(ID_PATTERN, re.ASCII)


def entity_routes(table: EntityTable) -> APIRouter:
    """Build the routes of one entity type."""
    router = APIRouter(tags=[table.name], dependencies=[Depends(require_actor)])

    async def read_list(request: Request) -> Response:
        view = read_view(request.scope["query_string"], sortable=sortable_fields(table))
        fresh = await _is_fresh(request, table)
        known = known_etags(request.headers)
        if view is None:
            content, body = await _lists(request).read(table, known_etags=known)
        else:
            content = await _tables(request).list(table, view, known_etags=known)
            body = None
        return await answer(request, content, body, fresh=fresh and not content.stale)

    async def read_single(entity_id: EntityId, request: Request) -> Response:
        fresh = await _is_fresh(request, table)
        tables = _tables(request)
        content = await tables.single(table, entity_id) if _ID.fullmatch(entity_id) else Missing()
        fresh = fresh and not content.stale
        if isinstance(content, Missing):
            raise not_found(fresh=fresh)
        return await answer(request, content, fresh=fresh)

    for path, endpoint, description in (
        (table.entity.path, read_list, documentation.of_list(table)),
        (table.entity.path + "/{entity_id}", read_single, documentation.of_single(table)),
    ):
        # HEAD is GET without a body: one route answers both, and the document describes GET.
        router.add_api_route(path, endpoint, methods=["GET", "HEAD"], include_in_schema=False)
        router.add_api_route(path, endpoint, methods=["GET"], **description)
    return router


async def _is_fresh(request: Request, table: EntityTable) -> bool:
    """Wait for what the client has written, if it says that it has; tell whether that can be read now."""
    if POSITION_HEADER not in request.headers and POSITION_COOKIE not in request.cookies:
        return True
    freshness: Freshness = request.app.state.freshness
    return await freshness.wait(table.name, lambda log_id: received_position(request, log_id))


def _lists(request: Request) -> PreparedLists:
    lists: PreparedLists = request.app.state.lists
    return lists


def _tables(request: Request) -> ReadTables:
    tables: ReadTables = request.app.state.tables
    return tables
