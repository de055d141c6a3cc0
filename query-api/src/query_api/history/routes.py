"""The queries of one entity's past: what happened, what differs, and who set what."""

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from ops.base.direct_routes import direct_router
from ops.base.entities import is_id
from ops.base.json_values import json_bytes
from ops.base.masks import ERASED, is_personal
from ops.base.openapi import EntityId
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken, require
from projections.tables import REVISIONS, EntityTable
from query_api.answers import answer, answer_json, etag_of, not_found
from query_api.history import documentation
from query_api.history.comparing import blame, compared, differences
from query_api.history.parameters import DiffParameters, HistoryParameters
from query_api.history.points import Point, PointParameters
from query_api.history.reading import Histories, PastState
from query_api.history.wire import moment_text
from query_api.masking import (
    aside,
    masked_blame,
    masked_diff,
    masked_history,
    require_shown,
    sees_masked,
    sees_restricted,
)
from query_api.openapi import add_query
from query_api.prepared.records import records_of
from query_api.readers import readers_of
from query_api.representation import Content, Missing
from query_api.requests import is_fresh
from query_api.views.showing import OF_CHANGES, WHO, Showing, shown

MayReadHistory = Annotated[VerifiedToken, Depends(Requires(Permission.HISTORY_READ))]


def history_routes(table: EntityTable) -> APIRouter:
    """Build the routes to the past of one entity type."""
    router = direct_router(tags=[table.name])
    path = table.entity.path + "/{entity_id}"
    name, personal = table.entity.name, table.entity.personal
    of_history = Showing(f"{path}/history", "history", name, (*personal, *OF_CHANGES))
    of_diff = Showing(f"{path}/diff", "diff", name, personal)
    of_blame = Showing(f"{path}/blame", "blame", name, (*personal, WHO))

    async def read_history(
        entity_id: EntityId,
        request: Request,
        token: MayReadHistory,
        part: Annotated[HistoryParameters, Query()],
    ) -> Response:
        fresh = await is_fresh(request, REVISIONS)
        if not is_id(entity_id):
            raise not_found(fresh=fresh)
        require_shown(token, table.entity, part.field or "id")
        names, histories = sees_restricted(token), readers_of(request).histories
        stream = f"{table.entity.name}:{entity_id}"
        found = await records_of(request).shown_to(
            *(token, REVISIONS, stream, partial(_changes, histories, table, entity_id, part, names=names)),
            part=(part, names),
            mask=partial(_masked_changes, table),
        )
        if isinstance(found, Missing):
            raise not_found(fresh=fresh)
        content, body = found
        masked = sees_masked(token, restricted=content.restricted)
        if masked and part.field is not None and is_personal(table.entity, part.field):
            # What is found by it tells which fields had a value, which masks do not.
            require(token, Permission.PRIVACY_RESTRICT)
        response = await answer(request, content, body, fresh=fresh)
        return shown(
            *(request, token, response, of_history),
            of=entity_id,
            asked=part,
            count=content.count,
            masked=masked,
        )

    async def read_diff(
        entity_id: EntityId,
        request: Request,
        token: MayReadHistory,
        span: Annotated[DiffParameters, Query()],
    ) -> Response:
        fresh = await is_fresh(request, REVISIONS)
        masked = sees_masked(token)
        latest = await _latest(request, table, entity_id, fresh=fresh, masked=masked)
        if max(span.first, span.last) > latest.version:
            raise not_found(fresh=fresh)
        masked = sees_masked(token, restricted=latest.is_restricted)
        first, last = [
            await readers_of(request).histories.state(
                table.entity, entity_id, Point(version=version), masked=masked
            )
            for version in (span.first, span.last)
        ]
        body = _diff(table, span, first, last, masked=masked)
        response = await answer_json(
            request, json_bytes(body), fresh=fresh and _is_known(first) and _is_known(last)
        )
        return shown(request, token, response, of_diff, of=entity_id, asked=span, masked=masked)

    async def read_blame(
        entity_id: EntityId,
        request: Request,
        token: MayReadHistory,
        asked: Annotated[PointParameters, Query()],
    ) -> Response:
        fresh = await is_fresh(request, REVISIONS)
        masked, histories = sees_masked(token), readers_of(request).histories
        state: PastState | None = await _latest(request, table, entity_id, fresh=fresh, masked=masked)
        masked = sees_masked(token, restricted=state is not None and state.is_restricted)
        if asked.point is not None:
            state = await histories.state(table.entity, entity_id, asked.point, masked=masked)
        record = _record(state)
        if state is None or record is None:
            raise not_found(fresh=fresh and _is_known(state))
        authors = histories.authors(
            table.entity, entity_id, state.version, masked=masked, names=sees_restricted(token)
        )
        told = {"version": state.version, "fields": await blame(record, authors)}
        body = (
            masked_blame(table.entity, told) if masked else {**told, **_erased_of_blame(table, state, record)}
        )
        response = await answer_json(request, json_bytes(body), fresh=fresh)
        return shown(request, token, response, of_blame, of=entity_id, asked=asked, masked=masked)

    add_query(router, f"{path}/history", read_history, documentation.of_history(table))
    add_query(router, f"{path}/diff", read_diff, documentation.of_diff(table))
    add_query(router, f"{path}/blame", read_blame, documentation.of_blame(table))
    return router


async def _changes(
    histories: Histories, table: EntityTable, entity_id: str, part: HistoryParameters, *, names: bool
) -> Content | Missing:
    changes, following, restricted = await histories.changes(table.entity, entity_id, part, names=names)
    if not changes and await histories.latest(table.entity, entity_id) is None:
        return Missing()
    body = b'{"content":[%s],"next":%s}' % (b",".join(changes), json_bytes(following))
    return Content(etag_of(body), body, stale=False, count=len(changes), restricted=restricted)


def _diff(
    table: EntityTable, span: DiffParameters, first: PastState | None, last: PastState | None, *, masked: bool
) -> dict[str, Any]:
    records = _record(first), _record(last)
    ends = {"from": _told(span.first, first), "to": _told(span.last, last)}
    told = {**ends, "changes": differences(*records)}
    if any(state is not None and state.is_erased for state in (first, last)):
        told[ERASED] = _personal(table, compared(*records))
    return masked_diff(table.entity, told, compared(*records)) if masked else told


def _personal(table: EntityTable, names: Iterable[str]) -> list[str]:
    return [name for name in names if is_personal(table.entity, name)]


def _erased_of_blame(table: EntityTable, state: PastState, record: dict[str, Any]) -> dict[str, list[str]]:
    return {ERASED: [*_personal(table, compared(record, None)), "actor.name"]} if state.is_erased else {}


async def _masked_changes(table: EntityTable, content: Content) -> Content:
    if content.json is None:
        raise AssertionError("a history has a body")
    body = await aside(partial(masked_history, table.entity), content.json)
    return replace(content, etag=etag_of(body), json=body)


async def _latest(
    request: Request, table: EntityTable, entity_id: str, *, fresh: bool, masked: bool
) -> PastState:
    """Return what an entity is now.

    Raises:
        Problem: 404, its id was never used.
    """
    latest = None
    if is_id(entity_id):
        latest = await readers_of(request).histories.latest(table.entity, entity_id, masked=masked)
    if latest is None:
        raise not_found(fresh=fresh)
    return latest


def _record(state: PastState | None) -> dict[str, Any] | None:
    record: dict[str, Any] | None = json.loads(state.record) if state and state.record else None
    return record


def _is_known(state: PastState | None) -> bool:
    """Whether the log could be understood there."""
    return state is None or state.record is not None or state.is_removal


def _told(version: int, state: PastState | None) -> dict[str, Any]:
    return {
        "version": version,
        "moment": moment_text(state.moment) if state else None,
        "exists": state is not None and state.record is not None,
    }
