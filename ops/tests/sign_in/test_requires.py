"""The dependency as clients meet it: over HTTP, in a service's application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import httpx
import pytest
from fastapi import Depends, FastAPI
from starlette.responses import JSONResponse, Response

from ops.base.http import create_app
from ops.base.sign_in import Requires, TokenVerifier, VerifiedToken
from ops.testing.serving import serving
from ops.testing.token_issuer import TokenIssuer


def build(verifier: TokenVerifier) -> FastAPI:
    async def ready() -> dict[str, object]:
        return {}

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with verifier:
            yield

    app = create_app(service="test", title="Test", description="", readiness=ready, lifespan=lifespan)  # type: ignore[arg-type]
    app.state.token_verifier = verifier

    @app.get("/me")
    async def who_am_i(token: Annotated[VerifiedToken, Depends(Requires())]) -> Response:
        return JSONResponse(token.actor.name)

    return app


@pytest.fixture
async def client(issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    app = build(TokenVerifier(issuer.issuer, issuer.audience, issuer.jwks_url))
    async with (
        serving(app) as origin,
        httpx.AsyncClient(base_url=origin, trust_env=False, timeout=60) as client,
    ):
        yield client


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER  "])
async def test_a_good_token_signs_in(client: httpx.AsyncClient, issuer: TokenIssuer, scheme: str) -> None:
    answer = await client.get("/me", headers={"Authorization": scheme + issuer.token()})

    assert (answer.status_code, answer.json()) == (200, "Asha Menon")


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Basic YTpi", "Token abc", "é"])
async def test_without_a_token_the_client_is_shown_how_to_sign_in(
    client: httpx.AsyncClient, authorization: str | None
) -> None:
    headers = [] if authorization is None else [(b"Authorization", authorization.encode())]
    answer = await client.get("/me", headers=headers)

    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:fleetlog:problem:unauthorized"
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "authorization",
    [
        b"Bearer abc",
        b"Bearer a.b.c",
        b"Bearer \xff\xfe\x80",
        b"Bearer a b",
        b"Bearer a.b.c, Bearer a.b.c",
        b"Bearer " + b"A" * 20_000,
        "Bearer é.ü.€".encode(),
    ],
)
async def test_a_bad_token_is_named_as_the_reason(client: httpx.AsyncClient, authorization: bytes) -> None:
    answer = await client.get("/me", headers=[(b"Authorization", authorization)])

    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]
    assert authorization.decode("latin-1")[7:] not in answer.text


async def test_two_authorization_headers_are_refused_even_with_a_good_token(
    client: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    good = ("Authorization", f"Bearer {issuer.token()}")
    for other in (good, ("Authorization", "Basic YTpi"), ("authorization", "Bearer x")):
        for headers in ([good, other], [other, good]):
            answer = await client.get("/me", headers=headers)
            assert answer.status_code == 401
            assert 'error="invalid_token"' in answer.headers["www-authenticate"]


async def test_an_expired_token_is_called_expired(client: httpx.AsyncClient, issuer: TokenIssuer) -> None:
    answer = await client.get("/me", headers={"Authorization": f"Bearer {issuer.token(exp=1)}"})

    assert answer.status_code == 401
    assert "expired" in answer.headers["www-authenticate"]
    assert "expired" in answer.json()["detail"]


async def test_a_token_in_the_query_string_does_not_count(
    client: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    answer = await client.get("/me", params={"access_token": issuer.token()})

    assert answer.status_code == 401


async def test_while_no_key_could_be_loaded_the_service_is_unavailable_not_the_token_wrong(
    client: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    issuer.status = 500
    app = build(TokenVerifier(issuer.issuer, issuer.audience, issuer.jwks_url))
    async with serving(app) as origin:
        answer = await client.get(f"{origin}/me", headers={"Authorization": f"Bearer {issuer.token()}"})

    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:fleetlog:problem:unavailable"
    assert int(answer.headers["retry-after"]) > 0


async def test_refusals_are_counted_by_reason(client: httpx.AsyncClient, issuer: TokenIssuer) -> None:
    def count(metrics: str) -> float:
        sample = 'fleetlog_sign_in_refusals_total{reason="audience"}'
        return sum(float(line.split()[-1]) for line in metrics.splitlines() if line.startswith(sample))

    before = count((await client.get("/metrics")).text)
    await client.get("/me", headers={"Authorization": f"Bearer {issuer.token(aud='other')}"})

    assert count((await client.get("/metrics")).text) == before + 1


async def test_the_openapi_document_says_that_a_token_is_needed(client: httpx.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()

    assert document["components"]["securitySchemes"]["accessToken"]["scheme"] == "bearer"
    assert document["paths"]["/me"]["get"]["security"] == [{"accessToken": []}]
