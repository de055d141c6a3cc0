"""Routes to the audit trail."""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Annotated

from fastapi import Depends, Query, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from ops.base.access_log.views import CHANGE_FIELDS, PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.long_responses import stream_while_valid
from ops.base.http.openapi import Closed
from ops.base.http.request_context import request_id_of
from ops.base.permissions import Permission
from ops.base.records.csv_lines import csv_lines
from ops.base.records.entities import ENTITY_TYPES
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken, require
from query_api.access_log.disclosure import disclose
from query_api.access_log.reveals import AUDIT_PATH
from query_api.audit.days import count_days
from query_api.audit.exports import COLUMNS, MEDIA_TYPES, csv_rows, mark, ndjson, to_json
from query_api.audit.parameters import AuditParameters, DaysParameters
from query_api.audit.statements import MOST_COUNTED
from query_api.audit.timeline import Timeline, filters_in_python
from query_api.database.readers import readers_of
from query_api.freshness.read_your_writes import is_fresh
from query_api.history.changes import RecordedChange
from query_api.history.models import Change
from query_api.http.answers import answer_json, page_json
from query_api.http.openapi import TEXT, example_of_change, query
from query_api.masking.masks import PERSONAL_NAMES, is_masked_for, may_see_restricted
from read_model.tables import REVISIONS

MayAudit = Annotated[VerifiedToken, Depends(Requires(Permission.AUDIT_READ))]

DAYS_PATH = f"{AUDIT_PATH}/days"


class Run(Closed):
    """A batch, such as an import, represented by its last change."""

    changes: dict[str, int] = Field(
        description="Number of changes by type", examples=[{"driver.registered": 12}]
    )
    is_whole: bool = Field(description=f"false: only the last {MOST_COUNTED} changes are counted")


class AuditChange(Change):
    """One change of any entity."""

    entity: str
    id: str
    record_name: str | None = Field(
        description="The record's name then, or before it was removed; null if it has none or is masked",
        examples=["NL01 AB 1234"],
    )
    run: Run | None = Field(default=None, description="With `runs=once`, for changes of a run")


class AuditTrail(Closed):
    """A page of the audit trail. A short page may have a next one."""

    content: list[AuditChange]
    next: str | None = Field(description="`cursor` of the next page; null after the last")


class Day(Closed):
    """The number of changes of a day."""

    day: str = Field(examples=["2026-11-21"])
    changes: int = Field(examples=[12])


class Days(Closed):
    """The days that have changes, the oldest first; a page may hold only the last ones."""

    zone: str = Field(examples=["Asia/Kolkata"])
    first: str = Field(examples=["2026-08-23"])
    last: str = Field(examples=["2026-11-21"])
    content: list[Day]
    next: str | None = Field(
        description="`cursor` of the previous page, whose counts must be added; null after the last"
    )


router = direct_router(tags=["audit"])


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
    request: Request, token: MayAudit, params: Annotated[AuditParameters, Query()]
) -> Response:
    """List the changes of all records.

    As `csv` or `ndjson` all matching changes are streamed. Exports mask the values of personal fields,
    users' names, reasons and clients' request ids unless `reveal` asks for them, which the access log
    records. Without `personal:read` all formats are masked.
    """
    masked = is_masked_for(token)
    if masked and params.filters_personal_field:
        require(token, Permission.PERSONAL_READ)
    fresh = await is_fresh(request, REVISIONS)
    timeline = readers_of(request).timeline
    if params.format != "json":
        return await _export(request, timeline, params, token)
    restricted = may_see_restricted(token)
    found, following = await timeline.page(params, params, masked=masked, restricted=restricted)
    runs = await timeline.runs(params, found)
    entries = [to_json(change, runs.get(change.details.get("batch", ""))) for change in found]
    response = await answer_json(request, page_json(entries, following), fresh=fresh)
    seen = [change for change in found if change.masked_as is None]
    return disclose(
        *(request, token, response, _showing(params, seen)),
        of=params.id,
        params=params,
        count=len(seen),
        masked=bool(found) and not seen and not filters_in_python(params),
    )


@query(router, DAYS_PATH, "audit_days", Days)
async def read_days(
    request: Request, token: MayAudit, params: Annotated[DaysParameters, Query()]
) -> Response:
    """Count the changes of each day.

    The filters are those of the audit trail; days begin at midnight of the time zone.
    """
    masked = is_masked_for(token)
    if masked and params.filters_personal_field:
        require(token, Permission.PERSONAL_READ)
    fresh = await is_fresh(request, REVISIONS)
    days, following = await count_days(
        readers_of(request).timeline, params, masked=masked, restricted=may_see_restricted(token)
    )
    body = {
        "zone": params.zone,
        "first": params.first.isoformat(),
        "last": params.last.isoformat(),
        "content": [{"day": day.isoformat(), "changes": count} for day, count in days.items()],
        "next": None if following is None else str(following),
    }
    response = await answer_json(request, json_bytes(body), fresh=fresh)
    if not filters_in_python(params):
        return response
    # The numbers of changes found by personal values reveal something about these values.
    entity = params.entities[0] if len(params.entities) == 1 else None
    showing = PersonalContent(DAYS_PATH, "audit", entity, CHANGE_FIELDS)
    return disclose(request, token, response, showing, of=params.id, params=params, count=sum(days.values()))


def _showing(params: AuditParameters, changes: Sequence[RecordedChange]) -> PersonalContent:
    """Return the personal data that changes show."""
    entity = params.entities[0] if len(params.entities) == 1 else None
    names = (PERSONAL_NAMES[change.entity] for change in changes if change.entity in PERSONAL_NAMES)
    fields = dict.fromkeys((*(name for change in changes for name in change.personal or ()), *names))
    return PersonalContent(AUDIT_PATH, "audit", entity, (*fields, *CHANGE_FIELDS))


async def _export(
    request: Request, timeline: Timeline, params: AuditParameters, token: VerifiedToken
) -> Response:
    if params.reveal == "true":
        require(token, Permission.AUDIT_REVEAL, Permission.PERSONAL_READ)
    headers = {
        "Cache-Control": "private, no-store",
        "Content-Disposition": f'attachment; filename="fleetlog-audit.{params.format}"',
    }
    media_type = MEDIA_TYPES[params.format]
    if request.method == "HEAD":
        return Response(headers=headers, media_type=media_type)
    if params.reveal == "true":
        request_id = request_id_of(request.scope)
        await readers_of(request).reveals.record_export(
            token.actor, request_id, params.format, params.texts()
        )
    lines = stream_while_valid(request.scope, _lines(timeline, params, token))
    response = StreamingResponse(lines, headers=headers, media_type=media_type)
    if params.reveal == "true" or not filters_in_python(params):
        return response
    # Which changes are found by personal values reveals these values, even if all are masked.
    return disclose(request, token, response, _showing(params, ()), of=params.id, params=params)


async def _lines(timeline: Timeline, params: AuditParameters, token: VerifiedToken) -> AsyncIterator[bytes]:
    shown = partial(csv_rows, field=params.field) if params.format == "csv" else ndjson
    masked, restricted = is_masked_for(token), may_see_restricted(token)
    if params.format == "csv":
        yield csv_lines([COLUMNS]).encode()
    async for changes in timeline.everything(
        params, descending=params.descending, masked=masked, restricted=restricted
    ):
        for change in changes if masked else ():
            mark(change)
        yield shown(changes, reveal=params.reveal == "true")
