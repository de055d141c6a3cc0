"""The signed-in user and their permissions."""

import asyncio
from contextlib import suppress
from datetime import UTC
from typing import Annotated, Final

import psycopg
from fastapi import Depends, Request
from psycopg_pool import PoolTimeout
from pydantic import Field
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed
from ops.base.permissions import OF_STAFF, Permission
from ops.base.sign_in import Requires, VerifiedToken
from query_api.database.readers import readers_of
from query_api.database.source import fetch
from query_api.http.answers import uncached
from query_api.http.openapi import query

ME_PATH: Final = "/api/v1/me"
_NO_STORE: Final = "private, no-store"
_RENEW: Final = "SELECT notify.renew_confirmations(%s, %s)"
_RENEW_SECONDS: Final = 1.0

SignedIn = Annotated[VerifiedToken, Depends(Requires())]


class Me(Closed):
    """Claims of the access token."""

    sub: str = Field(description="The identity provider's permanent id", examples=["dev|asha"])
    name: str = Field(description="The user's name; `sub` if the token has none", examples=["Asha Menon"])
    roles: list[str] = Field(description="Values of the token's claim for roles", examples=[["staff"]])
    permissions: list[Permission] = Field(
        description="The user's permissions, sorted; each operation's `security` lists those that it needs",
        examples=[sorted(OF_STAFF)],
    )
    expires_at: str = Field(
        description="When the token expires",
        json_schema_extra={"format": "date-time"},
        examples=["2026-11-21T04:20:45Z"],
    )


router = direct_router(tags=["me"])


@query(router, ME_PATH, "me", Me, cache_control=_NO_STORE, waits=False)
async def read_me(request: Request, token: SignedIn) -> Response:
    """Show the user and their permissions.

    The frontend calls this when the user signs in, so it also renews or withdraws the user's confirmations of
    e-mail addresses.
    """
    may_see = token.may(Permission.PERSONAL_READ)
    with suppress(psycopg.Error, PoolTimeout, TimeoutError):  # an outage must not delay the sign-in
        async with asyncio.timeout(_RENEW_SECONDS):
            await fetch(readers_of(request).primary, _RENEW, (token.actor.sub, may_see))
    me = Me(
        sub=token.actor.sub,
        name=token.actor.name,
        roles=list(token.roles),
        permissions=sorted(token.permissions),
        expires_at=f"{token.expires_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
    )
    return uncached(me, _NO_STORE)
