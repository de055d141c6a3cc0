"""The route of the signed-in user."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from query_api_testing.served import FollowedFleet, client_of

from ops.base.permissions import Permission
from ops.base.records.own_digests import PATH, own_digest_id
from ops.testing.token_issuer import TokenIssuer

ME = "/api/v1/me"
EXPIRES = 4_000_000_000


def signed_in(issuer: TokenIssuer, **claims: Any) -> dict[str, str]:
    return {"Authorization": f"Bearer {issuer.token(exp=EXPIRES, **claims)}"}


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        (
            {
                "permissions": ["personal:read", "fleet:read", "other:thing"],
                "roles": ["clerk", "Night shift"],
            },
            {"roles": ["clerk", "Night shift"], "permissions": ["fleet:read", "personal:read"]},
        ),
        ({"permissions": list(Permission)}, {"roles": [], "permissions": sorted(Permission)}),
        (
            {"permissions": TokenIssuer.DROP, "name": TokenIssuer.DROP},
            {"name": "dev|asha", "roles": [], "permissions": []},
        ),
    ],
)
async def test_me_has_user_permissions_and_expiry(
    shared_client: httpx.AsyncClient, issuer: TokenIssuer, claims: dict[str, Any], expected: dict[str, Any]
) -> None:
    answer = await shared_client.get(ME, headers=signed_in(issuer, **claims))

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["vary"] == "Authorization"
    assert "etag" not in answer.headers
    assert answer.json() == {
        "sub": "dev|asha",
        "name": "Asha Menon",
        "expires_at": f"{datetime.fromtimestamp(EXPIRES, UTC):%Y-%m-%dT%H:%M:%SZ}",
        **expected,
    }
    assert list(answer.json()) == ["sub", "name", "roles", "permissions", "expires_at"]


async def test_sign_in_renews_or_withdraws_confirmations(
    shared_client: httpx.AsyncClient, issuer: TokenIssuer, fleet: FollowedFleet
) -> None:
    fleet.connection.execute(
        "INSERT INTO notify.confirmations (subscription_id, recipient, confirmed_by, confirmed_at)"
        " SELECT 'SUB-1', sub::bytea || days::text::bytea, sub, now() - days * interval '1 day'"
        " FROM unnest(ARRAY['mei', 'asha']) AS sub, unnest(ARRAY[0, 80, 91]) AS days"
    )
    for sub, permissions in (("mei", [Permission.PERSONAL_READ]), ("asha", [Permission.FLEET_READ])):
        headers = signed_in(issuer, sub=sub, permissions=permissions)
        assert (await shared_client.get(ME, headers=headers)).status_code == 200
    left = fleet.connection.execute(
        "SELECT confirmed_by, now() - confirmed_at < interval '1 day' FROM notify.confirmations"
        " ORDER BY confirmed_at DESC"
    ).fetchall()
    assert left == [("mei", True), ("mei", True), ("mei", False)]  # an expired one stays expired


async def test_own_digest_is_shown_to_its_user_only(
    origin: str, issuer: TokenIssuer, fleet: FollowedFleet
) -> None:
    own = own_digest_id("dev|mei")
    fleet.register("subscription", own, hour=9, time_zone="Asia/Kolkata", status="paused")
    address = {"email": "mei@example.com", "email_verified": True}
    mei = client_of(origin, issuer, fleet, sub="dev|mei", permissions=[Permission.FLEET_READ], **address)
    async with mei, client_of(origin, issuer, fleet) as other:
        digest = {"id": own, "hour": 9, "time_zone": "Asia/Kolkata", "status": "paused"}
        assert (await mei.get(PATH)).json() == {"email": "mei@example.com", "digest": digest}
        assert (await other.get(PATH)).json() == {"email": None, "digest": None}
