"""Routes to the past of a record: history, differences, and the author of each field."""

from functools import cache, partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from ops.base.access_log.views import ACTOR_NAME, CHANGE_FIELDS, PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId
from ops.base.permissions import Permission
from ops.base.records.entities import is_id
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import is_personal
from ops.base.sign_in import permitted, require
from query_api.access_log.disclosure import disclose
from query_api.cache.answers import records_of
from query_api.database.readers import Readers, readers_of
from query_api.freshness.read_your_writes import is_fresh
from query_api.history.comparison import blame, diff, erased_of_blame, record_of
from query_api.history.histories import changes_until, history_page
from query_api.history.models import Blame, Diff, HistoryPage
from query_api.history.parameters import DiffParameters, HistoryParameters, Point, PointParameters
from query_api.history.past_states import PastState, latest_state, state_at
from query_api.http.answers import answer, answer_json, etag_of, not_found, page_json
from query_api.http.openapi import example_of_change, query
from query_api.http.representation import Content, Missing
from query_api.masking.masks import (
    is_masked_for,
    masked_blame,
    may_see_restricted,
    require_visible,
)
from read_model.tables import REVISIONS, EntityTable


@cache
def history_routes(table: EntityTable) -> APIRouter:
    """Build the routes to the past of one entity type's records."""
    router = direct_router(tags=[table.name])
    path, name, personal = table.entity.path + "/{entity_id}", table.entity.name, table.entity.personal
    of_history = PersonalContent(f"{path}/history", "history", name, (*personal, *CHANGE_FIELDS))
    of_diff = PersonalContent(f"{path}/diff", "diff", name, personal)
    of_blame = PersonalContent(f"{path}/blame", "blame", name, (*personal, ACTOR_NAME))

    known = example_of_change(table.entity)
    may_read: Any = permitted(Permission.HISTORY_READ, *filter(None, [table.entity.permission]))

    @query(router, f"{path}/history", f"history_of_{name}", HistoryPage, known=known)
    async def read_history(
        entity_id: EntityId,
        request: Request,
        token: may_read,
        page: Annotated[HistoryParameters, Query()],
    ) -> Response:
        """List the changes of a record, in all its registrations."""
        fresh = await is_fresh(request, REVISIONS)
        if not is_id(entity_id):
            raise not_found(fresh=fresh)
        require_visible(token, table.entity, page.field or "id")
        names, stream = may_see_restricted(token), f"{name}:{entity_id}"
        read = partial(_changes, readers_of(request), table, entity_id, page)
        found = await records_of(request).read_for(
            *(token, REVISIONS, stream, partial(read, names=names)),
            part=(page, names),
            mask=lambda _: read(masked=True),
        )
        if isinstance(found, Missing):
            raise not_found(fresh=fresh)
        content, body = found
        masked = is_masked_for(token, restricted=content.restricted)
        if masked and page.field is not None and is_personal(table.entity, page.field):
            # The entries found reveal which fields had a value, which masks hide.
            require(token, Permission.PRIVACY_RESTRICT)
        response = await answer(request, content, body, fresh=fresh)
        return disclose(
            *(request, token, response, of_history),
            of=entity_id,
            params=page,
            count=content.count,
            masked=masked,
        )

    @query(router, f"{path}/diff", f"diff_of_{name}", Diff, known=known)
    async def read_diff(
        entity_id: EntityId,
        request: Request,
        token: may_read,
        span: Annotated[DiffParameters, Query()],
    ) -> Response:
        """Compare two versions of a record; version 0 is before the first."""
        fresh = await is_fresh(request, REVISIONS)
        masked = is_masked_for(token)
        latest = await _latest(request, table, entity_id, fresh=fresh, masked=masked)
        if max(span.first, span.last) > latest.version:
            raise not_found(fresh=fresh)
        masked = is_masked_for(token, restricted=latest.is_restricted)
        first, last = [
            await state_at(
                readers_of(request).source, table.entity, entity_id, Point(version=version), masked=masked
            )
            for version in (span.first, span.last)
        ]
        body = diff(table.entity, span, first, last, masked=masked)
        response = await answer_json(
            request, json_bytes(body), fresh=fresh and _is_known(first) and _is_known(last)
        )
        return disclose(request, token, response, of_diff, of=entity_id, params=span, masked=masked)

    @query(router, f"{path}/blame", f"blame_of_{name}", Blame, known=known)
    async def read_blame(
        entity_id: EntityId,
        request: Request,
        token: may_read,
        params: Annotated[PointParameters, Query()],
    ) -> Response:
        """Show which user last set each field of a record."""
        fresh = await is_fresh(request, REVISIONS)
        masked, readers = is_masked_for(token), readers_of(request)
        state: PastState | None = await _latest(request, table, entity_id, fresh=fresh, masked=masked)
        masked = is_masked_for(token, restricted=state is not None and state.is_restricted)
        if params.point is not None:
            state = await state_at(readers.source, table.entity, entity_id, params.point, masked=masked)
        record = record_of(state)
        if state is None or record is None:
            raise not_found(fresh=fresh and _is_known(state))
        changes = changes_until(
            readers.source,
            table.entity,
            entity_id,
            state.version,
            masked=masked,
            names=may_see_restricted(token),
        )
        fields = {"version": state.version, "fields": await blame(record, changes)}
        body = (
            masked_blame(table.entity, fields)
            if masked
            else {**fields, **erased_of_blame(table.entity, state, record)}
        )
        response = await answer_json(request, json_bytes(body), fresh=fresh)
        return disclose(request, token, response, of_blame, of=entity_id, params=params, masked=masked)

    return router


async def _changes(
    readers: Readers, table: EntityTable, entity_id: str, page: HistoryParameters, **shown: bool
) -> Content | Missing:
    changes, following, restricted = await history_page(
        readers.source, table.entity, entity_id, page, **shown
    )
    if not changes and await latest_state(readers.source, table.entity, entity_id) is None:
        return Missing()
    body = page_json(changes, following)
    return Content(etag_of(body), body, stale=False, count=len(changes), restricted=restricted)


async def _latest(
    request: Request, table: EntityTable, entity_id: str, *, fresh: bool, masked: bool
) -> PastState:
    """Return a record's latest state.

    Raises:
        Problem: 404, the id was never used.
    """
    latest = None
    if is_id(entity_id):
        latest = await latest_state(readers_of(request).source, table.entity, entity_id, masked=masked)
    if latest is None:
        raise not_found(fresh=fresh)
    return latest


def _is_known(state: PastState | None) -> bool:
    """Return whether the state's event could be read."""
    return state is None or state.record is not None or state.is_removal
