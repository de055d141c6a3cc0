"""The queries of those who act, for whoever sees to forgetting them; a subject may have slashes in it."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from ops.base.access_log.views import ACTOR_NAME, PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Subject
from ops.base.permissions import Permission
from ops.base.records.entities import ACTOR
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken
from projections.tables import REVISIONS
from query_api.freshness.waiting import is_fresh
from query_api.http.answers import not_found
from query_api.http.openapi import query
from query_api.privacy.actors import NAME, actor_standing, all_actors, report_on_actor
from query_api.privacy.models import KnownActors, PrivacyStanding
from query_api.privacy.page import page_of_actor
from query_api.privacy.parameters import HeldParameters, ReceiptParameters
from query_api.privacy.reading import names_somebody, receipt_of
from query_api.privacy.routes import (
    HELD,
    MEDIA_TYPES,
    NO_STORE,
    RECEIPT,
    MayTell,
    SeesTo,
    answer_of,
    download_of,
)
from query_api.reading.readers import readers_of
from query_api.views.showing import shown

MayList = Annotated[VerifiedToken, Depends(Requires(Permission.PRIVACY_RESTRICT))]
_PATH: Final = ACTOR.path
_ONE: Final = f"{_PATH}/{{sub:path}}/privacy"


def actor_routes() -> APIRouter:
    """Build the routes."""
    router = direct_router(tags=["privacy"])
    of_all = PersonalContent(_PATH, "list", ACTOR.name, (NAME,))
    of_standing = PersonalContent(f"{_PATH}/{{sub}}/privacy", "privacy", ACTOR.name, (ACTOR_NAME,))
    of_held = PersonalContent(f"{_PATH}/{{sub}}/privacy/held", "export", ACTOR.name, (NAME,))

    @query(router, _PATH, "actors", KnownActors, cache_control=NO_STORE)
    async def read_actors(request: Request, token: MayList) -> Response:
        """List the users in the directory of actors; their names need `personal:read`."""
        fresh = await is_fresh(request, REVISIONS)
        found = await all_actors(readers_of(request).primary, names=token.may(Permission.PERSONAL_READ))
        response = answer_of(json_bytes({"content": found}), fresh=fresh)
        return shown(request, token, response, of_all, count=len(found))

    @query(router, _ONE, "privacy_of_actor", PrivacyStanding, cache_control=NO_STORE)
    async def read_standing(sub: Subject, request: Request, token: SeesTo) -> Response:
        """Show whether a user is restricted or erased."""
        fresh = await is_fresh(request, REVISIONS)
        names = token.may(Permission.PERSONAL_READ)
        found = await actor_standing(readers_of(request).primary, sub, names=names)
        if found is None:
            raise not_found(fresh=fresh)
        response = answer_of(json_bytes(found), fresh=fresh)
        return shown(request, token, response, of_standing, of=sub, masked=not names_somebody(found))

    @query(router, f"{_ONE}/receipt", "receipt_of_actor", RECEIPT, cache_control=NO_STORE)
    async def read_receipt(
        sub: Subject,
        request: Request,
        token: SeesTo,  # noqa: ARG001 - permission
        asked: Annotated[ReceiptParameters, Query()],
    ) -> Response:
        """Return the receipt of an erasure."""
        fresh = await is_fresh(request, REVISIONS)
        found = await receipt_of(readers_of(request).primary, ACTOR, sub, asked.version)
        if found is None:
            raise not_found(fresh=fresh)
        return download_of(answer_of(found.text.encode(), fresh=fresh), f"receipt-actor-{found.version}.json")

    @query(router, f"{_ONE}/held", "held_of_actor", HELD, cache_control=NO_STORE)
    async def read_held(
        sub: Subject, request: Request, token: MayTell, asked: Annotated[HeldParameters, Query()]
    ) -> Response:
        """Return all data held about a user, as JSON or as a page to print."""
        fresh = await is_fresh(request, REVISIONS)
        held = await report_on_actor(readers_of(request), sub)
        if held is None:
            raise not_found(fresh=fresh)
        body = page_of_actor(held).encode() if asked.format == "html" else json_bytes(held)
        response = answer_of(body, fresh=fresh, media_type=MEDIA_TYPES[asked.format])
        download_of(response, f"held-actor.{asked.format}")
        return shown(request, token, response, of_held, of=sub, asked=asked)

    return router
