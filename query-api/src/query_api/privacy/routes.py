"""Routes to the privacy status, receipts and reports of records and users."""

from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Annotated, Any, Final, Literal, TypeVar

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from ops.base.access_log.views import ACTOR_NAME, CHANGE_FIELDS, PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import SUBJECT, EntityId
from ops.base.permissions import Permission
from ops.base.records.entities import ACTOR, EntityType, is_id
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken
from query_api.access_log.disclosure import disclose
from query_api.database.readers import Readers, readers_of
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
            "properties": {"merged": {"description": "The same of the records merged into this one"}},
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


T = TypeVar("T")


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


router = direct_router(tags=["privacy"])
_OF_REQUESTS: Final = PersonalContent(REQUESTS_PATH, "privacy", None, (ACTOR_NAME,))
_OF_ACTORS: Final = PersonalContent(ACTOR.path, "list", ACTOR.name, (NAME,))


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


def _add_routes(
    router: APIRouter,
    entity: EntityType,
    read_status: Callable[..., Awaitable[dict[str, Any] | None]],
    read_report: Callable[[Readers, str], Awaitable[dict[str, Any] | None]],
    *,
    page: Callable[[dict[str, Any]], str],
    personal: tuple[str, ...],
) -> None:
    """Add the privacy routes of one entity type's records, or of users.

    Args:
        read_status: takes a source, an id, and whether names of users are included.
        read_report: returns all data about an id.
        page: returns a report as a page to print.
        personal: personal fields of the report.
    """
    name, of_users = entity.name, entity is ACTOR
    shown = f"{entity.path}/{{{'sub' if of_users else 'entity_id'}}}/privacy"
    path = shown.replace("{sub}", "{sub:path}")  # a subject may contain slashes
    subject: Any = Annotated[str, Path(alias="sub", description=SUBJECT)] if of_users else EntityId
    of_status = PersonalContent(shown, "privacy", name, (ACTOR_NAME,))
    of_report = PersonalContent(f"{shown}/held", "export", name, personal)

    async def found(
        request: Request, subject_id: str, read: Callable[[], Awaitable[T | None]]
    ) -> tuple[T, bool]:
        """Return what a function reads about an id, and whether it includes the client's last write."""
        fresh = await is_fresh(request, REVISIONS)
        result = await read() if of_users or is_id(subject_id) else None
        if result is None:
            raise not_found(fresh=fresh)
        return result, fresh

    def file_name(kind: str, subject_id: str) -> str:
        return f"{kind}-{name}" if of_users else f"{kind}-{name}-{subject_id}"

    @query(router, path, f"privacy_of_{name}", PrivacyStanding, cache_control=NO_STORE)
    async def show_status(entity_id: subject, request: Request, token: MayRestrict) -> Response:
        """Show whether a record or a user is restricted or erased, and which personal data is stored."""
        names, source = token.may(Permission.PERSONAL_READ), readers_of(request).primary
        status, fresh = await found(request, entity_id, lambda: read_status(source, entity_id, names=names))
        response = _answer(json_bytes(status), fresh=fresh)
        return disclose(request, token, response, of_status, of=entity_id, masked=not names_requester(status))

    @query(router, f"{path}/receipt", f"receipt_of_{name}", RECEIPT, cache_control=NO_STORE)
    async def show_receipt(
        entity_id: subject,
        request: Request,
        token: MayRestrict,  # noqa: ARG001 - permission
        params: Annotated[ReceiptParameters, Query()],
    ) -> Response:
        """Return the receipt of an erasure."""
        source = readers_of(request).primary
        (version, receipt), fresh = await found(
            request, entity_id, lambda: receipt_of(source, entity, entity_id, params.version)
        )
        file = f"{file_name('receipt', entity_id)}-{version}.json"
        return _answer(receipt.encode(), fresh=fresh, file_name=file)

    @query(router, f"{path}/held", f"held_of_{name}", HELD, cache_control=NO_STORE)
    async def show_held(
        entity_id: subject, request: Request, token: MayExport, params: Annotated[HeldParameters, Query()]
    ) -> Response:
        """Return all data held about a person (GDPR article 15), as JSON or as a page to print."""
        readers = readers_of(request)
        held, fresh = await found(request, entity_id, lambda: read_report(readers, entity_id))
        body = page(held).encode() if params.format == "html" else json_bytes(held)
        file = f"{file_name('held', entity_id)}.{params.format}"
        response = _answer(body, fresh=fresh, media_type=MEDIA_TYPES[params.format], file_name=file)
        for part in (held, *held.get("merged", ())):
            response = disclose(request, token, response, of_report, of=part["id"], params=params)
        return response


_add_routes(router, ACTOR, actor_privacy_status, report_on_actor, page=page_of_actor, personal=(NAME,))


@cache
def record_privacy_routes(table: EntityTable) -> APIRouter:
    """Build the privacy routes of one entity type's records."""
    router, entity = direct_router(tags=["privacy"]), table.entity
    status, report = partial(privacy_status, entity), partial(report_on, entity)
    _add_routes(router, entity, status, report, page=page_of, personal=(*entity.personal, *CHANGE_FIELDS))
    return router


def _answer(
    body: bytes, *, fresh: bool, media_type: str = "application/json", file_name: str | None = None
) -> Response:
    """Return a response that is not cached; with `file_name`, a download."""
    headers = {**common_headers(fresh=fresh), "Cache-Control": NO_STORE}
    if file_name is not None:
        headers["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return Response(body, headers=headers, media_type=media_type)
