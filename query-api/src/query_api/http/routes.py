"""Routes of lists and records, current or at a point in the past: the same two for every entity type."""

from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from ops.base.access_log.views import PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId
from ops.base.http.record_etags import RecordETag
from ops.base.permissions import Permission
from ops.base.records.entities import is_id
from ops.base.records.masks import masked_body
from ops.base.sign_in import VerifiedToken, permitted, require
from query_api.access_log.disclosure import disclose
from query_api.assignments.answers import answer_intervals
from query_api.assignments.intervals import ASSIGNMENTS, without_assigned
from query_api.assignments.parameters import FreeParameters, asks_for_intervals, parameters_of_list
from query_api.cache.answers import CachedLists, records_of
from query_api.database.readers import readers_of
from query_api.freshness import read_your_writes as freshness
from query_api.freshness.read_your_writes import is_fresh
from query_api.history.models import AS_OF_HEADER, AS_OF_HEADERS
from query_api.history.parameters import Point, PointParameters
from query_api.history.past_lists import without_personal_data
from query_api.history.past_states import merged_into, state_at
from query_api.http.answers import answer, common_headers, is_known, known_etags, not_found
from query_api.http.long_lists import LongLists, stream_list
from query_api.http.openapi import query
from query_api.http.record_schemas import link_to_first, list_content, record_content
from query_api.http.representation import Content, Missing
from query_api.masking.masks import (
    apply_mask,
    is_masked_for,
    masked_list,
    masked_single,
    masked_tag,
    visible_view,
)
from query_api.paging.parameters import ListParameters
from read_model.tables import REVISIONS, EntityTable


@cache
def entity_routes(table: EntityTable) -> APIRouter:
    """Build the routes of one entity type."""
    router = direct_router(tags=[table.name])
    parameters: Any = parameters_of_list(table)
    may_read: Any = permitted(table.entity.needs(Permission.FLEET_READ))
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
    async def read_list(
        request: Request, token: may_read, params: Annotated[parameters, Query()]
    ) -> Response:
        """List all records, or a page of them.

        Without parameters: all rows, ordered by id. With any of `page`, `size`, `sort`, `q` or a filter: one
        page, described by `page`. A page after the last one is empty and has the number of rows.
        """
        if (past := await _answer_from_revisions(request, token, table, params, of_list)) is not None:
            return past
        response, count = await _answer_list(request, token, table, params)
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
        redirect="Address of the record into which this one was merged",
    )
    async def read_single(
        entity_id: EntityId,
        request: Request,
        token: may_read,
        params: Annotated[PointParameters, Query()],
    ) -> Response:
        """Return one record, or redirect to the one into which it was merged."""
        point = params.point
        if point is not None:
            require(token, Permission.HISTORY_READ)
            fresh = await is_fresh(request, REVISIONS)
            if not is_id(entity_id):
                raise not_found(fresh=fresh)
            response, masked = await _answer_single_as_of(
                request, token, table, entity_id, point, fresh=fresh
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
            fresh = fresh and await is_fresh(request, REVISIONS)
            if (into := await merged_into(readers_of(request).source, table.entity, entity_id)) is not None:
                headers = {**common_headers(fresh=fresh), "Location": f"{path}/{into}"}
                return Response(status_code=307, headers=headers)
            raise not_found(fresh=fresh and not found.stale)
        content, body = found
        response = await answer(request, content, body, fresh=fresh and not content.stale)
        masked = is_masked_for(token, restricted=content.restricted)
        return disclose(request, token, response, of_record, of=entity_id, masked=masked)

    return router


async def _answer_from_revisions(
    request: Request,
    token: VerifiedToken,
    table: EntityTable,
    params: ListParameters,
    showing: PersonalContent,
) -> Response | None:
    """Return the answer with intervals, or with a list at a point in the past; None: the list is current."""
    if asks_for_intervals(params):
        return await answer_intervals(request, token, params, showing)
    if params.as_of is None:
        return None
    require(token, Permission.HISTORY_READ)
    fresh = await is_fresh(request, REVISIONS)
    response = await _answer_list_as_of(request, token, table, params.as_of, fresh=fresh)
    return disclose(request, token, response, showing, params=params)


async def _answer_list(
    request: Request, token: VerifiedToken, table: EntityTable, params: ListParameters
) -> tuple[Response, int | None]:
    """Return the answer and its number of rows, if known."""
    masked, view = is_masked_for(token), params.view
    fresh = await is_fresh(request, table)
    if view is not None:
        view = visible_view(token, table.entity, view)
        if isinstance(params, FreeParameters) and params.free_until is not None:
            for other in (ASSIGNMENTS, REVISIONS):
                fresh = await is_fresh(request, other) and fresh
            view = await without_assigned(readers_of(request).source, table, params, view)
    known, body = known_etags(request.scope), None
    if view is None:
        lists: CachedLists = request.app.state.lists
        content, body = await lists.read(table, known_etags=known, masked=masked, up_to=params.whole_up_to)
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


async def _answer_single_as_of(
    request: Request, token: VerifiedToken, table: EntityTable, entity_id: str, point: Point, *, fresh: bool
) -> tuple[Response, bool]:
    """Return the answer with a record at a point in the past, and whether it is masked.

    Raises:
        Problem: 404, the record did not exist.
    """
    masked = is_masked_for(token)
    state = await state_at(readers_of(request).source, table.entity, entity_id, point, masked=masked)
    if state is None or state.record is None:
        raise not_found(fresh=fresh and (state is None or state.is_removal))
    masked = is_masked_for(token, restricted=state.is_restricted)
    record = without_personal_data(table.entity, state.record) if state.is_erased else state.record
    body = table.entity.wrap_json(record)
    if masked and not state.is_erased:
        body = await apply_mask(partial(masked_body, table.entity), body)
    etag = str(RecordETag.of(state.version, state.log_id, body))
    response = await answer(request, Content(etag, body, stale=not fresh), fresh=fresh)
    response.headers[AS_OF_HEADER] = f"position={state.position}, version={state.version}"
    return response, masked


async def _answer_list_as_of(
    request: Request, token: VerifiedToken, table: EntityTable, moment: datetime, *, fresh: bool
) -> Response:
    """Return a streaming answer with a list at a point in the past."""
    lists, masked = readers_of(request).past_lists, is_masked_for(token)
    point = await lists.point_at(moment)
    # The state at a position never changes, but the table's version and privacy events change the answer.
    etag = (
        f'"{point.log_id}-{table.version}-{point.generation}-as-of-{point.position}-{point.privacy_position}"'
    )
    if masked:
        etag = masked_tag(etag)
    headers = {"ETag": etag, **common_headers(fresh=fresh), AS_OF_HEADER: f"position={point.position}"}
    if is_known(request, etag):
        return Response(status_code=304, headers=headers)
    records = lists.records(table.entity, point, masked=masked)
    return await stream_list(request, table, records, headers, masked=masked)
