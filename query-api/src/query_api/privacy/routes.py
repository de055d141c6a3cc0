"""Routes to the privacy status, receipts and reports of records and users."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field
from starlette.responses import Response

from ops.base.access_log.views import ACTOR_NAME, CHANGE_FIELDS, PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId, Subject
from ops.base.permissions import Permission
from ops.base.records.entities import ACTOR, EntityType, is_id
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken
from query_api.access_log.disclosure import disclose
from query_api.database.readers import Readers, readers_of
from query_api.database.source import Source
from query_api.freshness.read_your_writes import is_fresh
from query_api.history.parameters import MAX_VERSION
from query_api.http.answers import common_headers, not_found
from query_api.http.openapi import TEXT, query
from query_api.http.parameters import QueryParameters, one_of, whole_number
from query_api.privacy.actors import NAME, actor_privacy_status, all_actors, report_on_actor
from query_api.privacy.models import KnownActors, PrivacyRequests, PrivacyStanding
from query_api.privacy.page import page_of, page_of_actor
from query_api.privacy.report import report_on
from query_api.privacy.requests import all_requests, names_requester, privacy_status, receipt_of
from read_model.tables import REVISIONS, EntityTable

REQUESTS_PATH: Final = "/api/v1/privacy/requests"
NO_STORE: Final = "private, no-store"
MEDIA_TYPES: Final = {"json": "application/json", "html": "text/html; charset=utf-8"}
RECEIPT: Final = {
    "application/json": {
        "schema": {"type": "object", "description": "What was erased, where, when and why; signed"},
        "example": {"entity": "driver", "id": "EMP-001", "version": 7},
    }
}
HELD: Final = {
    "application/json": {
        "schema": {
            "type": "object",
            "description": "The record, every change, its viewers, and the places where it is stored",
            "required": ["format", "entity", "id", "standing", "record", "changes", "seen_by", "places"],
        },
        "example": {
            "format": "fleetlog-held/1",
            "entity": "driver",
            "id": "EMP-001",
            "standing": {"state": "active"},
            "record": {"id": "EMP-001", "name": "Ravi Kumar"},
            **{name: [] for name in ("changes", "seen_by", "places")},
        },
    },
    "text/html": {"schema": TEXT, "example": "<!doctype html>"},
}

MayList = Annotated[VerifiedToken, Depends(Requires(Permission.PRIVACY_RESTRICT))]
MayRestrict = Annotated[
    VerifiedToken, Depends(Requires(Permission.PRIVACY_RESTRICT, or_else=Permission.PRIVACY_ERASE))
]
MayExport = Annotated[VerifiedToken, Depends(Requires(Permission.PRIVACY_RESTRICT, Permission.PERSONAL_READ))]


class ReceiptParameters(QueryParameters):
    """The wanted receipt."""

    version: Annotated[int | None, whole_number(1, MAX_VERSION)] = Field(
        None, description="Version of the erasure; by default the last erasure", examples=[7]
    )


class HeldParameters(QueryParameters):
    """The format of a report."""

    format: Annotated[Literal["json", "html"], one_of("json", "html")] = Field(
        "json", description="`html`: a page to print", examples=["html"]
    )


@dataclass(frozen=True)
class _Subjects:
    """Answers the privacy routes of one entity type's records, or of users."""

    entity: EntityType
    path: str
    is_id: Callable[[str], bool]
    read_status: Callable[..., Awaitable[dict[str, Any] | None]]
    """Takes a source, an id, and whether names of users are included."""
    read_report: Callable[[Readers, str], Awaitable[dict[str, Any] | None]]
    page: Callable[[dict[str, Any]], str]
    file_name: Callable[[str], str]
    personal: tuple[str, ...]
    """Personal fields of the report."""

    async def status(self, request: Request, token: VerifiedToken, subject_id: str) -> Response:
        fresh = await is_fresh(request, REVISIONS)
        names = token.may(Permission.PERSONAL_READ)
        source: Source = readers_of(request).primary
        found = await self.read_status(source, subject_id, names=names) if self.is_id(subject_id) else None
        if found is None:
            raise not_found(fresh=fresh)
        showing = PersonalContent(self.path, "privacy", self.entity.name, (ACTOR_NAME,))
        response = _answer(json_bytes(found), fresh=fresh)
        return disclose(request, token, response, showing, of=subject_id, masked=not names_requester(found))

    async def receipt(self, request: Request, subject_id: str, params: ReceiptParameters) -> Response:
        fresh = await is_fresh(request, REVISIONS)
        source = readers_of(request).primary
        found = None
        if self.is_id(subject_id):
            found = await receipt_of(source, self.entity, subject_id, params.version)
        if found is None:
            raise not_found(fresh=fresh)
        version, receipt = found
        name = f"receipt-{self.file_name(subject_id)}-{version}.json"
        return _answer(receipt.encode(), fresh=fresh, file_name=name)

    async def held(
        self, request: Request, token: VerifiedToken, subject_id: str, params: HeldParameters
    ) -> Response:
        fresh = await is_fresh(request, REVISIONS)
        held = await self.read_report(readers_of(request), subject_id) if self.is_id(subject_id) else None
        if held is None:
            raise not_found(fresh=fresh)
        body = self.page(held).encode() if params.format == "html" else json_bytes(held)
        name = f"held-{self.file_name(subject_id)}.{params.format}"
        response = _answer(body, fresh=fresh, media_type=MEDIA_TYPES[params.format], file_name=name)
        showing = PersonalContent(f"{self.path}/held", "export", self.entity.name, self.personal)
        return disclose(request, token, response, showing, of=subject_id, params=params)


_ACTORS: Final = _Subjects(
    entity=ACTOR,
    path=f"{ACTOR.path}/{{sub}}/privacy",
    is_id=lambda _: True,
    read_status=actor_privacy_status,
    read_report=report_on_actor,
    page=page_of_actor,
    file_name=lambda _: "actor",
    personal=(NAME,),
)


router = direct_router(tags=["privacy"])
_OF_REQUESTS: Final = PersonalContent(REQUESTS_PATH, "privacy", None, (ACTOR_NAME,))
_OF_ACTORS: Final = PersonalContent(ACTOR.path, "list", ACTOR.name, (NAME,))
_ONE: Final = f"{ACTOR.path}/{{sub:path}}/privacy"  # a subject may contain slashes


@query(router, REQUESTS_PATH, "privacy_requests", PrivacyRequests, cache_control=NO_STORE)
async def read_requests(request: Request, token: MayRestrict) -> Response:
    """List the restricted and erased records and users."""
    fresh = await is_fresh(request, REVISIONS)
    content = await all_requests(readers_of(request).primary, names=token.may(Permission.PERSONAL_READ))
    response = _answer(json_bytes({"content": content}), fresh=fresh)
    masked = not any(map(names_requester, content))
    return disclose(request, token, response, _OF_REQUESTS, count=len(content), masked=masked)


@query(router, ACTOR.path, "actors", KnownActors, cache_control=NO_STORE)
async def read_actors(request: Request, token: MayList) -> Response:
    """List the users in the directory of actors; their names need `personal:read`."""
    fresh = await is_fresh(request, REVISIONS)
    found = await all_actors(readers_of(request).primary, names=token.may(Permission.PERSONAL_READ))
    response = _answer(json_bytes({"content": found}), fresh=fresh)
    return disclose(request, token, response, _OF_ACTORS, count=len(found))


@query(router, _ONE, "privacy_of_actor", PrivacyStanding, cache_control=NO_STORE)
async def read_status(sub: Subject, request: Request, token: MayRestrict) -> Response:
    """Show whether a user is restricted or erased."""
    return await _ACTORS.status(request, token, sub)


@query(router, f"{_ONE}/receipt", "receipt_of_actor", RECEIPT, cache_control=NO_STORE)
async def read_receipt(
    sub: Subject,
    request: Request,
    token: MayRestrict,  # noqa: ARG001 - permission
    params: Annotated[ReceiptParameters, Query()],
) -> Response:
    """Return the receipt of an erasure."""
    return await _ACTORS.receipt(request, sub, params)


@query(router, f"{_ONE}/held", "held_of_actor", HELD, cache_control=NO_STORE)
async def read_held(
    sub: Subject, request: Request, token: MayExport, params: Annotated[HeldParameters, Query()]
) -> Response:
    """Return all data held about a user, as JSON or as a page to print."""
    return await _ACTORS.held(request, token, sub, params)


def record_privacy_routes(table: EntityTable) -> APIRouter:
    """Build the privacy routes of one entity type's records."""
    router = direct_router(tags=["privacy"])
    name, path = table.entity.name, f"{table.entity.path}/{{entity_id}}/privacy"
    records = _Subjects(
        entity=table.entity,
        path=path,
        is_id=is_id,
        read_status=partial(privacy_status, table.entity),
        read_report=partial(report_on, table.entity),
        page=page_of,
        file_name=lambda entity_id: f"{name}-{entity_id}",
        personal=(*table.entity.personal, *CHANGE_FIELDS),
    )

    @query(router, path, f"privacy_of_{name}", PrivacyStanding, cache_control=NO_STORE)
    async def read_status(entity_id: EntityId, request: Request, token: MayRestrict) -> Response:
        """Show whether a record is restricted or erased, and which personal data it has."""
        return await records.status(request, token, entity_id)

    @query(router, f"{path}/receipt", f"receipt_of_{name}", RECEIPT, cache_control=NO_STORE)
    async def read_receipt(
        entity_id: EntityId,
        request: Request,
        token: MayRestrict,  # noqa: ARG001 - permission
        params: Annotated[ReceiptParameters, Query()],
    ) -> Response:
        """Return the receipt of an erasure."""
        return await records.receipt(request, entity_id, params)

    @query(router, f"{path}/held", f"held_of_{name}", HELD, cache_control=NO_STORE)
    async def read_held(
        entity_id: EntityId, request: Request, token: MayExport, params: Annotated[HeldParameters, Query()]
    ) -> Response:
        """Return all data held about a record (GDPR article 15), as JSON or as a page to print."""
        return await records.held(request, token, entity_id, params)

    return router


def _answer(
    body: bytes, *, fresh: bool, media_type: str = "application/json", file_name: str | None = None
) -> Response:
    """Return a response that is not cached; with `file_name`, a download."""
    headers = {**common_headers(fresh=fresh), "Cache-Control": NO_STORE}
    if file_name is not None:
        headers["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return Response(body, headers=headers, media_type=media_type)
