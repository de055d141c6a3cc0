"""The queries of what is restricted or erased, for those who see to that."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from ops.base.access_log.views import ACTOR_NAME, CHANGE_FIELDS, PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId
from ops.base.permissions import Permission
from ops.base.records.entities import is_id
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken
from projections.tables import REVISIONS, EntityTable
from query_api.freshness.waiting import is_fresh
from query_api.http.answers import common_headers, not_found
from query_api.http.openapi import TEXT, query
from query_api.privacy.models import PrivacyRequests, PrivacyStanding
from query_api.privacy.page import page_of
from query_api.privacy.parameters import HeldParameters, ReceiptParameters
from query_api.privacy.reading import all_requests, names_somebody, receipt_of, standing_of
from query_api.privacy.report import report_on
from query_api.reading.readers import readers_of
from query_api.views.showing import shown

REQUESTS_PATH: Final = "/api/v1/privacy/requests"
NO_STORE: Final = "private, no-store"
MEDIA_TYPES: Final = {"json": "application/json", "html": "text/html; charset=utf-8"}
RECEIPT: Final = {
    "application/json": {
        "schema": {"type": "object", "description": "What was erased where, when and why; signed"},
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

SeesTo = Annotated[
    VerifiedToken, Depends(Requires(Permission.PRIVACY_RESTRICT, or_else=Permission.PRIVACY_ERASE))
]

MayTell = Annotated[VerifiedToken, Depends(Requires(Permission.PRIVACY_RESTRICT, Permission.PERSONAL_READ))]


def privacy_routes() -> APIRouter:
    """Build the route to all that was asked for."""
    router = direct_router(tags=["privacy"])
    of_requests = PersonalContent(REQUESTS_PATH, "privacy", None, (ACTOR_NAME,))

    @query(router, REQUESTS_PATH, "privacy_requests", PrivacyRequests, cache_control=NO_STORE)
    async def read_requests(request: Request, token: SeesTo) -> Response:
        """List the restricted and erased records and users."""
        fresh = await is_fresh(request, REVISIONS)
        content = await all_requests(readers_of(request).primary, names=token.may(Permission.PERSONAL_READ))
        response = answer_of(json_bytes({"content": content}), fresh=fresh)
        masked = not any(map(names_somebody, content))
        return shown(request, token, response, of_requests, count=len(content), masked=masked)

    return router


def standing_routes(table: EntityTable) -> APIRouter:
    """Build the routes to how it stands with one entity type's records."""
    router = direct_router(tags=["privacy"])
    path, name = f"{table.entity.path}/{{entity_id}}/privacy", table.entity.name
    of_standing = PersonalContent(path, "privacy", table.entity.name, (ACTOR_NAME,))
    of_held = PersonalContent(
        f"{path}/held", "export", table.entity.name, (*table.entity.personal, *CHANGE_FIELDS)
    )

    @query(router, path, f"privacy_of_{name}", PrivacyStanding, cache_control=NO_STORE)
    async def read_standing(entity_id: EntityId, request: Request, token: SeesTo) -> Response:
        """Show whether a record is restricted or erased, and which personal data it has."""
        fresh = await is_fresh(request, REVISIONS)
        names = token.may(Permission.PERSONAL_READ)
        source = readers_of(request).primary
        found = await standing_of(source, table.entity, entity_id, names=names) if is_id(entity_id) else None
        if found is None:
            raise not_found(fresh=fresh)
        response = answer_of(json_bytes(found), fresh=fresh)
        return shown(request, token, response, of_standing, of=entity_id, masked=not names_somebody(found))

    @query(router, f"{path}/receipt", f"receipt_of_{name}", RECEIPT, cache_control=NO_STORE)
    async def read_receipt(
        entity_id: EntityId,
        request: Request,
        token: SeesTo,  # noqa: ARG001 - permission
        asked: Annotated[ReceiptParameters, Query()],
    ) -> Response:
        """Return the receipt of an erasure."""
        fresh = await is_fresh(request, REVISIONS)
        source = readers_of(request).primary
        found = await receipt_of(source, table.entity, entity_id, asked.version) if is_id(entity_id) else None
        if found is None:
            raise not_found(fresh=fresh)
        file_name = f"receipt-{name}-{entity_id}-{found.version}.json"
        return download_of(answer_of(found.text.encode(), fresh=fresh), file_name)

    @query(router, f"{path}/held", f"held_of_{name}", HELD, cache_control=NO_STORE)
    async def read_held(
        entity_id: EntityId,
        request: Request,
        token: MayTell,
        asked: Annotated[HeldParameters, Query()],
    ) -> Response:
        """Return all data held about a record (GDPR article 15), as JSON or as a page to print."""
        fresh = await is_fresh(request, REVISIONS)
        held = await report_on(readers_of(request), table.entity, entity_id) if is_id(entity_id) else None
        if held is None:
            raise not_found(fresh=fresh)
        body = page_of(held).encode() if asked.format == "html" else json_bytes(held)
        response = answer_of(body, fresh=fresh, media_type=MEDIA_TYPES[asked.format])
        download_of(response, f"held-{table.entity.name}-{entity_id}.{asked.format}")
        return shown(request, token, response, of_held, of=entity_id, asked=asked)

    return router


def answer_of(body: bytes, *, fresh: bool, media_type: str = "application/json") -> Response:
    """Return an answer that nobody keeps."""
    headers = {**common_headers(fresh=fresh), "Cache-Control": NO_STORE}
    return Response(body, headers=headers, media_type=media_type)


def download_of(response: Response, name: str) -> Response:
    """Return an answer that is kept as a file of some name."""
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
