"""The queries of the whole log's past."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response, StreamingResponse

from ops.base.access_log.views import CHANGE_FIELDS, PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.request_context import request_id_of
from ops.base.permissions import Permission
from ops.base.records.entities import ENTITY_TYPES
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken, require
from ops.base.sign_in.long_responses import stream_while_valid
from projections.tables import REVISIONS
from query_api.audit.accesses import AUDIT_PATH, REVEALED_EXPORT
from query_api.audit.days import count_days
from query_api.audit.exports import (
    MEDIA_TYPES,
    csv_header,
    csv_rows,
    ndjson,
    to_json,
    to_json_without_personal_data,
    without_personal_data,
)
from query_api.audit.models import Accesses, AuditTrail, Days
from query_api.audit.parameters import AuditParameters, DaysParameters, Filter
from query_api.audit.timeline import Timeline, must_be_opened
from query_api.freshness.waiting import is_fresh
from query_api.history.changes import Change
from query_api.history.wire import moment_text
from query_api.http.answers import answer_json
from query_api.http.openapi import TEXT, example_of_change, query
from query_api.masking.masking import PERSONAL_NAMES, masked_access, sees_masked, sees_restricted
from query_api.reading.readers import readers_of
from query_api.views.parameters import AccessParameters
from query_api.views.reading import all_views
from query_api.views.showing import OF_VIEWS, shown

MayAudit = Annotated[VerifiedToken, Depends(Requires(Permission.AUDIT_READ))]
MaySeeWhoLooked = Annotated[VerifiedToken, Depends(Requires(Permission.ACCESS_LOG_READ))]

DAYS_PATH = f"{AUDIT_PATH}/days"
ACCESS_LOG_PATH = "/api/v1/access-log"


def audit_routes() -> APIRouter:
    """Build the routes."""
    router = direct_router(tags=["audit"])
    of_accesses = PersonalContent(ACCESS_LOG_PATH, "access-log", "access-log", OF_VIEWS, always=True)

    @query(
        router,
        AUDIT_PATH,
        "audit_trail",
        AuditTrail,
        known=example_of_change(ENTITY_TYPES[0]),
        content={"text/csv": {"schema": TEXT}, "application/x-ndjson": {}},
        headers={"Cache-Control": {"description": "Exports have `no-store`", "schema": TEXT}},
    )
    async def read_audit(
        request: Request, token: MayAudit, asked: Annotated[AuditParameters, Query()]
    ) -> Response:
        """List the changes of all records.

        As `csv` or `ndjson` all matching changes are streamed. Exports mask the values of personal fields,
        users' names, reasons and clients' request ids unless `reveal` asks for them, which the access log
        records. Without `personal:read` all formats are masked.
        """
        masked = sees_masked(token)
        if masked and asked.names_personal_field:
            require(token, Permission.PERSONAL_READ)
        fresh = await is_fresh(request, REVISIONS)
        timeline = readers_of(request).timeline
        if asked.format != "json":
            return await _export(request, timeline, asked, token)
        restricted = sees_restricted(token)
        found, following = await timeline.part(asked, asked, masked=masked, restricted=restricted)
        runs = await timeline.runs(asked, found)
        write = to_json_without_personal_data if masked else to_json
        told = [write(change, runs.get(change.batch or "")) for change in found]
        response = await answer_json(request, _page(told, following), fresh=fresh)
        seen = [change for change in found if change.withheld is None]
        return shown(
            *(request, token, response, _showing(asked, seen)),
            of=asked.id,
            asked=asked,
            count=len(seen),
            masked=bool(found) and not seen and not must_be_opened(asked, masked=masked),
        )

    @query(router, DAYS_PATH, "audit_days", Days)
    async def read_days(
        request: Request, token: MayAudit, asked: Annotated[DaysParameters, Query()]
    ) -> Response:
        """Count the changes of each day.

        The filters are those of the audit trail; days begin at midnight of the time zone.
        """
        masked = sees_masked(token)
        if masked and asked.names_personal_field:
            require(token, Permission.PERSONAL_READ)
        fresh = await is_fresh(request, REVISIONS)
        days, following = await count_days(
            readers_of(request).timeline, asked, masked=masked, restricted=sees_restricted(token)
        )
        response = await answer_json(request, _days(asked, days, following), fresh=fresh)
        if not must_be_opened(asked, masked=masked):
            return response
        # How often something is found tells of people, too.
        entity = asked.entities[0] if len(asked.entities) == 1 else None
        showing = PersonalContent(DAYS_PATH, "audit", entity, CHANGE_FIELDS)
        return shown(request, token, response, showing, of=asked.id, asked=asked, count=sum(days.values()))

    @query(router, ACCESS_LOG_PATH, "access_log", Accesses, waits=False)
    async def read_access_log(
        request: Request, token: MaySeeWhoLooked, asked: Annotated[AccessParameters, Query()]
    ) -> Response:
        """List the users who revealed masked data, were shown personal data, or started operations."""
        readers = readers_of(request)
        if asked.show == "views":
            views, following = await all_views(readers.searched, asked, restricted=sees_restricted(token))
            found = [view.as_access() for view in views]
        else:
            found, following = await readers.accesses.part(asked, restricted=sees_restricted(token))
        if sees_masked(token):
            found = [masked_access(access) for access in found]
        response = await answer_json(request, _page(map(json_bytes, found), following), fresh=True)
        return shown(request, token, response, of_accesses, asked=asked, count=len(found))

    return router


def _showing(asked: AuditParameters, changes: Sequence[Change]) -> PersonalContent:
    """Return what some changes show of people."""
    entity = asked.entities[0] if len(asked.entities) == 1 else None
    names = (PERSONAL_NAMES[change.entity] for change in changes if change.entity in PERSONAL_NAMES)
    fields = dict.fromkeys((*(name for change in changes for name in change.personal or ()), *names))
    return PersonalContent(AUDIT_PATH, "audit", entity, (*fields, *CHANGE_FIELDS))


async def _export(
    request: Request, timeline: Timeline, asked: AuditParameters, token: VerifiedToken
) -> Response:
    if asked.reveal == "true":
        require(token, Permission.AUDIT_REVEAL, Permission.PERSONAL_READ)
    headers = {
        "Cache-Control": "private, no-store",
        "Content-Disposition": f'attachment; filename="fleetlog-audit.{asked.format}"',
    }
    media_type = MEDIA_TYPES[asked.format]
    if request.method == "HEAD":
        return Response(headers=headers, media_type=media_type)
    if asked.reveal == "true":
        await readers_of(request).accesses.record(
            token.actor, request_id_of(request.scope), REVEALED_EXPORT, _search_json(asked)
        )
    lines = stream_while_valid(request.scope, _lines(timeline, asked, token))
    response = StreamingResponse(lines, headers=headers, media_type=media_type)
    if asked.reveal == "true" or not must_be_opened(asked, masked=sees_masked(token)):
        return response
    # Which changes are found by personal values reveals these values, even if all are masked.
    return shown(request, token, response, _showing(asked, ()), of=asked.id, asked=asked)


async def _lines(timeline: Timeline, asked: AuditParameters, token: VerifiedToken) -> AsyncIterator[bytes]:
    shown = partial(csv_rows, field=asked.field) if asked.format == "csv" else ndjson
    masked, restricted = sees_masked(token), sees_restricted(token)
    if asked.format == "csv":
        yield csv_header()
    async for changes in timeline.everything(
        asked, descending=asked.descending, masked=masked, restricted=restricted
    ):
        if masked:
            changes = [without_personal_data(change) for change in changes]  # noqa: PLW2901
        yield shown(changes, reveal=asked.reveal == "true")


def _search_json(asked: AuditParameters) -> dict[str, Any]:
    given = ((name, getattr(asked, name)) for name in Filter.model_fields)
    wanted = {name: value for name, value in given if value is not None}
    for name in wanted.keys() & {"since", "until"}:
        wanted[name] = moment_text(wanted[name])
    return {"format": asked.format, "filter": wanted}


def _days(asked: DaysParameters, days: Mapping[date, int], following: int | None) -> bytes:
    content = [{"day": day.isoformat(), "changes": count} for day, count in days.items()]
    told = {"zone": asked.zone, "first": asked.first.isoformat(), "last": asked.last.isoformat()}
    return json_bytes({**told, "content": content, "next": None if following is None else str(following)})


def _page(content: Iterable[bytes], following: int | None) -> bytes:
    return b'{"content":[%s],"next":%s}' % (
        b",".join(content),
        json_bytes(None if following is None else str(following)),
    )
