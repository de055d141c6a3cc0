"""What applications are told of whoever is signed in."""

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
    ("claims", "told"),
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
async def test_who_is_signed_in_learns_what_they_may_do_until_when(
    shared_client: httpx.AsyncClient, issuer: TokenIssuer, claims: dict[str, Any], told: dict[str, Any]
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
        **told,
    }
    assert list(answer.json()) == ["sub", "name", "roles", "permissions", "expires_at"]


async def test_it_is_as_the_document_says(shared_client: httpx.AsyncClient, issuer: TokenIssuer) -> None:
    document = (await shared_client.get("/openapi.json")).json()
    operation = document["paths"][ME]["get"]
    assert operation["security"] == [{"accessToken": []}]
    assert operation["responses"].keys() == {"200", "401", "429", "503", "default"}
    found = operation["responses"]["200"]["content"]["application/json"]
    schema = {**found["schema"], "components": document["components"]}
    for told in (found["example"], (await shared_client.get(ME, headers=signed_in(issuer))).json()):
        jsonschema.validate(told, schema)
        assert None not in told.values()
        assert told["permissions"] == sorted(told["permissions"])


async def test_head_is_the_same_without_a_body(shared_client: httpx.AsyncClient, issuer: TokenIssuer) -> None:
    got, head = [
        await shared_client.request(method, ME, headers=signed_in(issuer)) for method in ("GET", "HEAD")
    ]

    assert (head.status_code, head.content) == (200, b"")
    assert int(head.headers["content-length"]) == len(json.dumps(got.json(), separators=(",", ":")).encode())
    assert (await shared_client.head(ME, headers={"Authorization": ""})).status_code == 401
    assert (await shared_client.post(ME)).status_code == 405
