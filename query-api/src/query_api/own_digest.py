"""The daily digest of due dates that a user receives at the user's own address."""

from typing import Any, Final, Literal

from fastapi import Request
from pydantic import Field
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed
from ops.base.permissions import Permission
from ops.base.records.json_values import json_bytes
from ops.base.records.own_digests import PATH, own_digest_id
from ops.base.sign_in import permitted
from query_api.database.readers import readers_of
from query_api.database.source import fetch
from query_api.freshness.read_your_writes import is_fresh
from query_api.http.answers import answer_json
from query_api.http.openapi import query
from read_model.tables import ENTITY_TABLES

(_TABLE,) = (table for table in ENTITY_TABLES if table.entity.name == "subscription")
_OWN: Final = """
SELECT (record ->> 'hour')::integer, record ->> 'time_zone', record ->> 'status'
FROM read.subscriptions WHERE id = %s AND NOT restricted
"""


class OwnDigest(Closed):
    """When the digest is sent."""

    id: str = Field(description="Id of the subscription", examples=["SUB-4M7Q2XKDABCDEFGH"])
    hour: int = Field(examples=[7])
    time_zone: str = Field(examples=["Asia/Kolkata"])
    status: Literal["active", "paused"] = Field(examples=["active"])


class OwnDigestState(Closed):
    """The user's address, and the digest if there is one."""

    email: str | None = Field(
        description="The address that the access token names as verified", examples=["asha@example.com"]
    )
    digest: OwnDigest | None


router = direct_router(tags=["me"])
_may_read: Any = permitted(Permission.FLEET_READ)


@query(router, PATH, "own_digest", OwnDigestState)
async def read_own_digest(request: Request, token: _may_read) -> Response:
    """Show the user's own digest of due dates."""
    fresh = await is_fresh(request, _TABLE)
    own_id = own_digest_id(token.actor.sub)
    rows = await fetch(readers_of(request).source, _OWN, (own_id,))
    names = ("id", "hour", "time_zone", "status")
    digest = dict(zip(names, (own_id, *rows[0]), strict=True)) if rows else None
    return await answer_json(request, json_bytes({"email": token.email, "digest": digest}), fresh=fresh)
