"""Routes of lists and records, current or at a point in the past: the same two for every entity type."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from ops.base.access_log.views import PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId
from ops.base.permissions import Permission
from ops.base.records.entities import is_id
from ops.base.sign_in import Requires, VerifiedToken, require
from query_api.access_log.disclosure import disclose
from query_api.cache.answers import CachedLists, records_of
from query_api.database.readers import readers_of
from query_api.freshness import read_your_writes as freshness
from query_api.freshness.read_your_writes import is_fresh
from query_api.history.as_of import list_as_of, single_as_of
from query_api.history.models import AS_OF_HEADERS
from query_api.history.parameters import PointParameters
from query_api.http.answers import answer, known_etags, not_found
from query_api.http.long_lists import LongLists
from query_api.http.openapi import query
from query_api.http.record_schemas import link_to_first, list_content, record_content
from query_api.http.representation import Missing
from query_api.masking.masks import apply_mask, is_masked_for, masked_list, masked_single, visible_view
from query_api.paging.parameters import parameters_of_list
from query_api.paging.view import ListView
from read_model.tables import REVISIONS, EntityTable

MayRead = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_READ))]


def entity_routes(table: EntityTable) -> APIRouter:
    """Build the routes of one entity type."""
    router = direct_router(tags=[table.name])
    parameters: Any = parameters_of_list(table)
    path = table.entity.path
    of_list = PersonalContent(path, "list", table.entity.name, table.entity.personal)
    of_count = PersonalContent(path, "list", table.entity.name, ())
    in_record = tuple(name for name in table.entity.personal if name in table.entity.schema["properties"])
    of_record = PersonalContent(f"{path}/{{entity_id}}", "record", table.entity.name, in_record)

    @query(
        router,
        path,
        f"list_{table.name}",
        list_content(table),
        headers=AS_OF_HEADERS,
        links=link_to_first(table),
    )
    async def read_list(request: Request, token: MayRead, params: Annotated[parameters, Query()]) -> Response:
        """List all records, or a page of them.

        Without parameters: all rows, ordered by id. With any of `page`, `size`, `sort`, `q` or a filter: one
        page, described by `page`. A page after the last one is empty and has the number of rows.
        """
        if params.as_of is not None:
            require(token, Permission.HISTORY_READ)
            fresh = await is_fresh(request, REVISIONS)
            lists, masked = readers_of(request).past_lists, is_masked_for(token)
            response = await list_as_of(request, lists, table, params.as_of, fresh=fresh, masked=masked)
            return disclose(request, token, response, of_list, params=params)
        response, count = await _answer_list(request, token, table, params.view, params.whole_up_to)
        # An answer that only counts the rows shows no personal data, unless the rows were selected by a
        # personal value: then their number reveals something about that value.
        counts = params.whole_up_to is not None or (params.page and not params.personal_filters(table.entity))
        showing = of_count if counts and count == 0 else of_list
        return disclose(request, token, response, showing, params=params, count=count)

    @query(
        router,
        path + "/{entity_id}",
        f"get_{table.entity.name}",
        record_content(table),
        headers=AS_OF_HEADERS,
    )
    async def read_single(
        entity_id: EntityId,
        request: Request,
        token: MayRead,
        params: Annotated[PointParameters, Query()],
    ) -> Response:
        """Return one record."""
        point = params.point
        if point is not None:
            require(token, Permission.HISTORY_READ)
            fresh = await is_fresh(request, REVISIONS)
            if not is_id(entity_id):
                raise not_found(fresh=fresh)
            source = readers_of(request).source
            response, masked = await single_as_of(
                request, source, table, entity_id, point, fresh=fresh, token=token
            )
            return disclose(request, token, response, of_record, of=entity_id, params=params, masked=masked)
        fresh = await is_fresh(request, table)
        if not is_id(entity_id):
            raise not_found(fresh=fresh)
        read = partial(
            records_of(request).read_for,
            token,
            table,
            f"{table.entity.name}:{entity_id}",
            lambda: readers_of(request).records.single(table, entity_id),
            mask=partial(masked_single, table.entity),
        )
        found = await read()
        if isinstance(found, Missing) and not fresh:
            fresh = await is_fresh(request, table, patience_seconds=freshness.MISSING_SECONDS)
            found = await read()
        if isinstance(found, Missing):
            raise not_found(fresh=fresh and not found.stale)
        content, body = found
        response = await answer(request, content, body, fresh=fresh and not content.stale)
        masked = is_masked_for(token, restricted=content.restricted)
        return disclose(request, token, response, of_record, of=entity_id, masked=masked)

    return router


async def _answer_list(
    request: Request, token: VerifiedToken, table: EntityTable, view: ListView | None, up_to: int | None
) -> tuple[Response, int | None]:
    """Return the answer and its number of rows, if known."""
    masked = is_masked_for(token)
    if view is not None:
        view = visible_view(token, table.entity, view)
    fresh = await is_fresh(request, table)
    known, body = known_etags(request.scope), None
    if view is None:
        lists: CachedLists = request.app.state.lists
        content, body = await lists.read(table, known_etags=known, masked=masked, up_to=up_to)
    else:
        content = await readers_of(request).lists.list(table, view, known_etags=known)
        if masked and content.json is not None:
            content = replace(
                content, json=await apply_mask(partial(masked_list, table.entity), content.json)
            )
    fresh = fresh and not content.stale
    if content.long_at is not None:
        long_lists: LongLists = request.app.state.long_lists
        return await long_lists.answer(request, table, content, fresh=fresh, masked=masked), None
    return await answer(request, content, body, fresh=fresh), content.count
