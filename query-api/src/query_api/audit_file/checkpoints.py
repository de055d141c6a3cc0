"""Routes for custodians, who keep checkpoints elsewhere and check that each later one extends them."""

import asyncio
from typing import Annotated, Final

import psycopg
from fastapi import Depends, Query, Request
from pydantic import Field, ValidationInfo, field_validator
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed
from ops.base.http.problems import Problem
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken
from ops.tamper_evidence.proofs import Bound, Scope, proof_lines
from query_api.access_log.reveals import AUDIT_PATH
from query_api.audit_file.log_rows import LogReader
from query_api.audit_file.plan import nothing_sealed
from query_api.audit_file.processes import AuditFileProcesses
from query_api.database.readers import readers_of
from query_api.database.source import fetch
from query_api.http.openapi import TEXT, query
from query_api.http.parameters import MAX_CURSOR, BadParameter, QueryParameters, whole_number

LATEST_PATH: Final = f"{AUDIT_PATH}/checkpoints/latest"
CHECKPOINTS_PATH: Final = f"{AUDIT_PATH}/checkpoints"
CONSISTENCY_PATH: Final = f"{AUDIT_PATH}/consistency"
_NO_STORE: Final = "private, no-store"
_NDJSON: Final = "application/x-ndjson"
_NOTE: Final = "fleetlog/6f9b…\n120\nKjA2…\nprevious 100\n…\n\n— fleetlog Zm9v…\n"
_PROOF: Final = '{"format":"fleetlog-audit-proof/1","from":"…","scope":{"nothing":true},"to":"…"}\n…'
_PAGE: Final = 1000
_LATEST: Final = "SELECT note FROM audit.checkpoints ORDER BY number DESC LIMIT 1"
# Of several checkpoints of one size the last: the others have fewer accesses.
_AFTER: Final = """
SELECT DISTINCT ON (size) size, note FROM audit.checkpoints WHERE size > %s
ORDER BY size, number DESC LIMIT %s
"""
_OF_SIZE: Final = "SELECT note FROM audit.checkpoints WHERE size = %s ORDER BY number DESC LIMIT 1"

MayAudit = Annotated[VerifiedToken, Depends(Requires(Permission.AUDIT_READ))]
_SIZE: Final = whole_number(1, MAX_CURSOR)


class SignedCheckpoint(Closed):
    """A checkpoint."""

    size: int = Field(description="Position of the last event that it covers", examples=[120])
    note: str = Field(description="The signed note", examples=[_NOTE])


class Checkpoints(Closed):
    """A page of checkpoints, the smallest first."""

    content: list[SignedCheckpoint]
    next: int | None = Field(description="`after` of the next page; null after the last", examples=[120])


class CheckpointPage(QueryParameters):
    """Query parameters of the list of checkpoints."""

    after: Annotated[int, whole_number(0, MAX_CURSOR)] = Field(
        0, description="Only checkpoints that cover more events", examples=[100]
    )


class Extension(QueryParameters):
    """Query parameters of a proof of consistency: sizes of two checkpoints."""

    start: Annotated[int, _SIZE] = Field(alias="from", description="The earlier checkpoint's", examples=[100])
    end: Annotated[int, _SIZE] = Field(alias="to", description="The later checkpoint's", examples=[120])

    @field_validator("end", mode="after")
    @classmethod
    def _is_later(cls, end: int, info: ValidationInfo) -> int:
        if end <= info.data.get("start", 0):
            raise BadParameter("Must be more than `from`")
        return end


router = direct_router(tags=["audit"])


@query(
    *(router, LATEST_PATH, "latest_checkpoint", {"text/plain": {"schema": TEXT, "example": _NOTE}}),
    cache_control=_NO_STORE,
    waits=False,
    refusals=(409,),
)
async def read_latest(request: Request, token: MayAudit) -> Response:  # noqa: ARG001 - permission
    """Return the last checkpoint, as a signed note."""
    rows = await fetch(readers_of(request).primary, _LATEST)
    if not rows:
        raise nothing_sealed()
    return _answer(rows[0][0].encode(), "text/plain; charset=utf-8")


@query(*(router, CHECKPOINTS_PATH, "checkpoints", Checkpoints), cache_control=_NO_STORE, waits=False)
async def read_checkpoints(
    request: Request,
    token: MayAudit,  # noqa: ARG001 - permission
    page: Annotated[CheckpointPage, Query()],
) -> Response:
    """List checkpoints, one for each size, at most 1,000."""
    rows = await fetch(readers_of(request).primary, _AFTER, (page.after, _PAGE + 1))
    content = [SignedCheckpoint(size=size, note=note) for size, note in rows[:_PAGE]]
    following = content[-1].size if len(rows) > _PAGE else None
    return _answer(
        Checkpoints(content=content, next=following).model_dump_json().encode(), "application/json"
    )


@query(
    *(router, CONSISTENCY_PATH, "checkpoint_consistency", {_NDJSON: {"example": _PROOF}}),
    cache_control=_NO_STORE,
    waits=False,
    refusals=(404, 429),
)
async def prove_consistency(
    request: Request,
    token: MayAudit,  # noqa: ARG001 - permission
    params: Annotated[Extension, Query()],
) -> Response:
    """Prove that the log of one checkpoint extends that of an earlier one: `fleetlog-audit-proof/1`.

    The proof shows no event.
    """
    processes: AuditFileProcesses = request.app.state.audit_files
    processes.admit(request.scope)
    bounds = []
    for size in (params.start, params.end):
        rows = await fetch(readers_of(request).primary, _OF_SIZE, (size,))
        if not rows:
            raise Problem(404, "not-found", f"There is no checkpoint of {size} events.")
        bounds.append(Bound(rows[0][0], size))
    return _answer(await asyncio.to_thread(_proof, processes.dsn, *bounds), _NDJSON)


def _proof(dsn: str, start: Bound, end: Bound) -> bytes:
    with psycopg.connect(dsn) as connection:
        log = LogReader(connection)
        return b"".join(proof_lines(Scope("nothing"), start, end, (), log.root_between))


def _answer(content: bytes, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers={"Cache-Control": _NO_STORE})
