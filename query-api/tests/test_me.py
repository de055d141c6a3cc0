"""The route of the signed-in user."""

import json
from datetime import UTC, datetime
from typing import Any

import httpx
import jsonschema
import pytest

from ops.base.permissions import Permission
from ops.testing.token_issuer import TokenIssuer

pytestmark = pytest.mark.integration

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


async def test_answer_matches_the_openapi_document(
    shared_client: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    document = (await shared_client.get("/openapi.json")).json()
    operation = document["paths"][ME]["get"]
    assert operation["security"] == [{"accessToken": []}]
    assert operation["responses"].keys() == {"200", "401", "429", "503", "default"}
    found = operation["responses"]["200"]["content"]["application/json"]
    schema = {**found["schema"], "components": document["components"]}
    for shown in (found["example"], (await shared_client.get(ME, headers=signed_in(issuer))).json()):
        jsonschema.validate(shown, schema)
        assert None not in shown.values()
        assert shown["permissions"] == sorted(shown["permissions"])


async def test_head_has_the_same_headers_without_a_body(
    shared_client: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    got, head = [
        await shared_client.request(method, ME, headers=signed_in(issuer)) for method in ("GET", "HEAD")
    ]

    assert (head.status_code, head.content) == (200, b"")
    assert int(head.headers["content-length"]) == len(json.dumps(got.json(), separators=(",", ":")).encode())
    assert (await shared_client.head(ME, headers={"Authorization": ""})).status_code == 401
    assert (await shared_client.post(ME)).status_code == 405
