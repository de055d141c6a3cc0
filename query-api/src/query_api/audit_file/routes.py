"""The route to audit files."""

from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import Depends, Query, Request
from starlette.responses import Response, StreamingResponse

from ops.base.http.direct_routes import direct_router
from ops.base.http.long_responses import stream_while_valid
from ops.base.http.problems import unavailable
from ops.base.http.request_context import request_id_of
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken, require
from query_api.access_log.reveals import AUDIT_PATH
from query_api.audit_file.job import JOB, Job
from query_api.audit_file.parameters import AuditFileParameters
from query_api.audit_file.plan import plan_file
from query_api.audit_file.processes import AuditFileFailed, AuditFileProcesses
from query_api.database.readers import readers_of
from query_api.freshness.read_your_writes import is_fresh
from query_api.http.long_lists import chain
from query_api.http.openapi import TEXT, query
from query_api.masking.masks import may_see_restricted
from read_model.tables import REVISIONS

PATH: Final = f"{AUDIT_PATH}/file"
_NUMBER: Final = {"type": "integer", "minimum": 0}
_NO_STORE: Final = "private, no-store"

router = direct_router(tags=["audit"])


@query(
    router,
    PATH,
    "audit_file",
    {"application/zip": {"example": "PK\x03\x04…"}},
    cache_control=_NO_STORE,
    headers={
        "Content-Disposition": {"schema": TEXT},
        "Fleetlog-Events": {"description": "Number of events in the file", "schema": _NUMBER},
        "Fleetlog-Expected-Bytes": {"description": "Estimated size of the file", "schema": _NUMBER},
        "Fleetlog-Not-Covered": {
            "description": "Number of newer events of the selection, which are not sealed and not included",
            "schema": _NUMBER,
        },
    },
    refusals=(409, 429, 503),
)
async def make_audit_file(
    request: Request,
    token: Annotated[VerifiedToken, Depends(Requires(Permission.AUDIT_READ))],
    params: Annotated[AuditFileParameters, Query()],
) -> Response:
    """Make a ZIP for an auditor: changes, a statement, and the proof that they are those of the sealed log.

    Personal data is masked unless `reveal` asks for it, which the access log records. The connection is
    aborted if the file cannot be completed.
    """
    reveal = params.reveal == "true"
    if reveal:
        require(token, Permission.AUDIT_REVEAL, Permission.PERSONAL_READ)
    processes: AuditFileProcesses = request.app.state.audit_files
    if request.method != "HEAD":
        processes.admit(request.scope)
    await is_fresh(request, REVISIONS)
    readers, moment = readers_of(request), datetime.now(UTC)
    wanted = await readers.timeline.by_subject(params.filter)
    plan = await plan_file(
        readers.timeline, readers.primary, request.app.state.freshness, wanted, reveal=reveal
    )
    headers = {
        "Cache-Control": _NO_STORE,
        "Content-Disposition": f'attachment; filename="fleetlog-audit-{moment:%Y%m%dT%H%M%SZ}.zip"',
        "Fleetlog-Events": str(plan.events),
        "Fleetlog-Expected-Bytes": str(plan.expected_bytes),
        "Fleetlog-Not-Covered": str(plan.uncovered),
    }
    if request.method == "HEAD":
        return Response(headers=headers, media_type="application/zip")
    if reveal:
        await readers.reveals.record_export(
            token.actor, request_id_of(request.scope), "zip", params.filter.texts()
        )
    job = Job(
        processes.dsn,
        token.actor.sub,
        token.actor.name or None,
        request_id_of(request.scope),
        moment,
        wanted.texts(),
        reveal,
        may_see_restricted(token),
        plan,
    )
    pieces = processes.stream(request.scope, JOB.dump_json(job))
    try:
        first = await anext(pieces)
    except (AuditFileFailed, StopAsyncIteration):
        raise unavailable("The audit file cannot be made now. Please try again.", retry_after=10) from None
    content = stream_while_valid(request.scope, chain(first, pieces))
    return StreamingResponse(content, headers=headers, media_type="application/zip")
