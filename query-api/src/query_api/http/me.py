"""Who is signed in, and what they may do: for applications that offer nothing else."""

from datetime import UTC
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import problem_responses
from ops.base.permissions import OF_STAFF, Permission
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken
from query_api.http.openapi import ANY_PROBLEM, Closed, add_query, example_of, headers_of_answer

ME_PATH: Final = "/api/v1/me"
_KEPT: Final = "private, no-store"

SignedIn = Annotated[VerifiedToken, Depends(Requires())]


class Me(Closed):
    """What the access token says."""

    sub: str = Field(description="The identity provider's permanent id", examples=["dev|asha"])
    name: str = Field(description="The `sub`, where the token has no name", examples=["Asha Menon"])
    roles: list[str] = Field(
        description="What the company calls those who have these permissions; only to be shown",
        examples=[["staff"]],
    )
    permissions: list[Permission] = Field(
        description="All that are had, sorted; what a route needs, this document says as its `security`",
        examples=[sorted(OF_STAFF)],
    )
    expires_at: str = Field(
        description="Until when the token is good", json_schema_extra={"format": "date-time"},
        examples=["2026-11-21T04:20:45Z"],
    )  # fmt: skip


def me_routes() -> APIRouter:
    """Build the route."""
    router = direct_router(tags=["me"])

    async def read_me(token: SignedIn) -> Response:
        me = Me(
            sub=token.actor.sub,
            name=token.actor.name,
            roles=list(token.roles),
            permissions=sorted(token.permissions),
            expires_at=f"{token.expires_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        )
        headers = {"Cache-Control": _KEPT, "Vary": "Authorization"}
        return Response(json_bytes(me.model_dump()), headers=headers, media_type="application/json")

    add_query(router, ME_PATH, read_me, _documentation())
    return router


def _documentation() -> dict[str, Any]:
    example = example_of(Me.model_json_schema(), {})
    return {
        "name": "me",
        "summary": "Who is signed in, and what they may do",
        "responses": {
            200: {
                "model": Me,
                "description": "Found",
                "headers": headers_of_answer(_KEPT, {}),
                "content": {"application/json": {"example": example}},
            },
            **problem_responses(401, 503),
            "default": ANY_PROBLEM,
        },
    }
