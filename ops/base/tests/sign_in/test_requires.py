"""The dependency `Requires` over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, Self

import httpx
import pytest
from fastapi import Depends, FastAPI, Query, Request
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute

from ops.base.http.openapi import complete_openapi
from ops.base.http.problems import Problem
from ops.base.http.server import create_app
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken, require
from ops.base.sign_in.dependency import UndeclaredRoute, require_declarations
from ops.base.sign_in.verifier import TokenVerifier
from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.http_servers import serve
from ops.testing.metrics import sample
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

    may_change = Requires(Permission.FLEET_READ, Permission.FLEET_WRITE)

    @app.post("/changes")
    async def change(
        request: Request,
        token: Annotated[VerifiedToken, Depends(may_change)],
        asked: Annotated[Asked, Query()],
    ) -> Response:
        if asked.reveal:
            require(token, Permission.PERSONAL_READ, Permission.AUDIT_REVEAL)
        if await request.body() != b"{}":
            raise Problem(422, "validation-failed", "The body is bad.")
        return JSONResponse("changed")

    complete_openapi(app)
    return app


class Asked(BaseModel):
    """A query that reads itself, as those of direct routes do."""

    reveal: bool = False

    @classmethod
    def of(cls, request: Request) -> Self:
        text = request.query_params.get("reveal", "false")
        if text not in {"true", "false"}:
            raise Problem(422, "validation-failed", "The query is bad.")
        return cls(reveal=text == "true")


@pytest.fixture
async def client(issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    app = build(TokenVerifier(issuer.settings()))
    async with (
        serve(app) as origin,
        httpx.AsyncClient(base_url=origin, trust_env=False, timeout=60) as client,
    ):
        headers = {"Authorization": f"Bearer {issuer.token()}"}
        async with asyncio.timeout(PATIENCE_SECONDS):  # until it has keys
            while (await client.get("/me", headers=headers)).status_code == 503:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        yield client


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER  "])
async def test_a_good_token_signs_in(client: httpx.AsyncClient, issuer: TokenIssuer, scheme: str) -> None:
    answer = await client.get("/me", headers={"Authorization": scheme + issuer.token()})

    assert (answer.status_code, answer.json()) == (200, "Asha Menon")


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Basic YTpi", "Token abc", "é"])
async def test_missing_token_is_answered_with_a_challenge(
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
        b"Bearer xyz",
        b"Bearer a.b.c",
        b"Bearer \xff\xfe\x80",
        b"Bearer a b",
        b"Bearer a.b.c, Bearer a.b.c",
        b"Bearer " + b"A" * 20_000,
        "Bearer é.ü.€".encode(),
    ],
)
async def test_reason_of_a_bad_token_is_reported(client: httpx.AsyncClient, authorization: bytes) -> None:
    answer = await client.get("/me", headers=[(b"Authorization", authorization)])

    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]
    assert authorization.decode("latin-1")[7:] not in answer.text


async def test_two_authorization_headers_are_refused(client: httpx.AsyncClient, issuer: TokenIssuer) -> None:
    good = ("Authorization", f"Bearer {issuer.token()}")
    for other in (good, ("Authorization", "Basic YTpi"), ("authorization", "Bearer x")):
        for headers in ([good, other], [other, good]):
            answer = await client.get("/me", headers=headers)
            assert answer.status_code == 401
            assert 'error="invalid_token"' in answer.headers["www-authenticate"]


@pytest.mark.parametrize(
    "text",
    [
        *("TOKEN", "BearerTOKEN", "Bearer:TOKEN", "Bearer=TOKEN", "Bearer\tTOKEN", 'Bearer "TOKEN"'),
        *(
            "Bearer TOKEN TOKEN",
            "Bearer Bearer TOKEN",
            "Bearer TOKEN,",
            "Bearer TOKEN; a=b",
            "Bearer x TOKEN",
        ),
        *("Basic TOKEN", "Token TOKEN", "DPoP TOKEN", "Basic YTpi, Bearer TOKEN", "Bearer\u00a0TOKEN"),
    ],
)
async def test_good_token_in_a_malformed_header_is_refused(
    client: httpx.AsyncClient, issuer: TokenIssuer, text: str
) -> None:
    value = text.replace("TOKEN", issuer.token()).encode()
    assert (await client.get("/me", headers=[(b"Authorization", value)])).status_code == 401


async def test_token_elsewhere_is_ignored(client: httpx.AsyncClient, issuer: TokenIssuer) -> None:
    for name in ("Cookie", "X-Authorization", "Proxy-Authorization"):
        value = f"access_token={issuer.token()}" if name == "Cookie" else f"Bearer {issuer.token()}"
        assert (await client.get("/me", headers={name: value})).status_code == 401
    assert (await client.get("/me", params={"access_token": issuer.token()})).status_code == 401


async def test_an_expired_token_is_called_expired(client: httpx.AsyncClient, issuer: TokenIssuer) -> None:
    answer = await client.get("/me", headers={"Authorization": f"Bearer {issuer.token(exp=1)}"})

    assert answer.status_code == 401
    assert "expired" in answer.headers["www-authenticate"]
    assert "expired" in answer.json()["detail"]


async def test_missing_signing_keys_mean_503_and_not_401(
    client: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    issuer.status = 500
    app = build(TokenVerifier(issuer.settings()))
    async with serve(app) as origin:
        answer = await client.get(f"{origin}/me", headers={"Authorization": f"Bearer {issuer.token()}"})

    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:fleetlog:problem:unavailable"
    assert int(answer.headers["retry-after"]) > 0


async def test_refusals_are_counted(client: httpx.AsyncClient, issuer: TokenIssuer) -> None:
    def counts() -> list[float]:
        refused = sample("fleetlog_sign_in_refusals_total", reason="audience")
        return [refused, sample("fleetlog_permission_refusals_total")]

    before = counts()
    await client.get("/me", headers={"Authorization": f"Bearer {issuer.token(aud='other')}"})
    for permissions in ((), ("fleet:read", "fleet:write")):
        await client.post("/changes", headers=permitted(issuer, *permissions), content=b"{}")
    assert counts() == [count + 1 for count in before]


def permitted(issuer: TokenIssuer, *permissions: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {issuer.token(permissions=list(permissions))}"}


@pytest.mark.parametrize(
    ("permissions", "query", "missing"),
    [
        ([], "", ["fleet:read", "fleet:write"]),
        (["fleet:read"], "", ["fleet:write"]),
        (["fleet:write", "audit:reveal"], "?reveal=true", ["fleet:read"]),
        (["fleet:read", "fleet:write"], "?reveal=true", ["personal:read", "audit:reveal"]),
        (["fleet:read", "fleet:write", "audit:reveal"], "?reveal=true", ["personal:read"]),
    ],
)
async def test_refusal_names_the_missing_permissions(
    client: httpx.AsyncClient,
    issuer: TokenIssuer,
    permissions: list[str],
    query: str,
    missing: list[str],
) -> None:
    answer = await client.post(f"/changes{query}", headers=permitted(issuer, *permissions), content=b"{}")

    assert answer.status_code == 403
    assert answer.headers["content-type"] == "application/problem+json"
    # RFC 6750, section 3.1
    assert (
        answer.headers["www-authenticate"]
        == f'Bearer error="insufficient_scope", scope="{" ".join(missing)}"'
    )
    problem = answer.json()
    assert problem["type"] == "urn:fleetlog:problem:permission-missing"
    assert problem["status"] == 403
    assert problem["missing_permissions"] == missing
    assert problem["detail"].startswith(f"You need the {' and '.join(missing)} permission")
    assert ("contains no permissions" in problem["detail"]) is (not permissions)


async def test_all_required_permissions_admit(client: httpx.AsyncClient, issuer: TokenIssuer) -> None:
    needed = ["fleet:read", "fleet:write", "personal:read", "audit:reveal"]
    for permissions in (needed, list(Permission), [*needed, "other:thing"]):
        answer = await client.post(
            "/changes?reveal=true", headers=permitted(issuer, *permissions), content=b"{}"
        )
        assert (answer.status_code, answer.json()) == (200, "changed")


async def test_refused_callers_learn_nothing_about_query_and_body(
    client: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    bad: dict[str, Any] = {"params": {"reveal": "perhaps"}, "content": b"{"}
    good: dict[str, Any] = {"params": {"reveal": "true"}, "content": b"{}"}
    unpermitted = permitted(issuer, "fleet:read")

    async def status_and_body(headers: dict[str, str], sent: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        answer = await client.post("/changes", headers=headers, **sent)
        return answer.status_code, {**answer.json(), "request_id": None}

    assert await status_and_body({}, bad) == await status_and_body({}, good)
    assert (await status_and_body({}, bad))[0] == 401
    assert (await status_and_body({"Authorization": "Bearer x"}, bad))[0] == 401
    assert await status_and_body(unpermitted, bad) == await status_and_body(unpermitted, good)
    assert (await status_and_body(unpermitted, bad))[0] == 403
    assert (await status_and_body(permitted(issuer, "fleet:read", "fleet:write"), bad))[0] == 422


async def test_permissions_are_those_of_the_current_token(
    client: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    """Verified tokens are cached by token, not by user."""
    for permissions, status in (("fleet:read fleet:write", 200), ("fleet:read", 403)):
        headers = {"Authorization": f"Bearer {issuer.token(permissions=permissions)}"}
        for _ in range(2):
            assert (await client.post("/changes", headers=headers, content=b"{}")).status_code == status


def a_route(app: FastAPI) -> None:
    @app.get("/forgotten")
    async def forgotten() -> Response:
        return Response()


def a_hidden_route(app: FastAPI) -> None:
    @app.get("/forgotten", include_in_schema=False, openapi_extra={"security": [{}]})
    async def forgotten() -> Response:
        return Response()


FORGOTTEN: list[Callable[[FastAPI], None]] = [
    a_route,
    a_hidden_route,
    lambda app: app.router.routes.append(Route("/forgotten", lambda _: Response())),
    lambda app: app.router.routes.append(Mount("/forgotten", Starlette())),
    lambda app: app.router.routes.append(WebSocketRoute("/forgotten", print)),
]


@pytest.mark.parametrize("add", FORGOTTEN)
async def test_application_with_an_undeclared_route_does_not_start(
    issuer: TokenIssuer, add: Callable[[FastAPI], None]
) -> None:
    app = build(TokenVerifier(issuer.settings()))
    require_declarations(app)
    add(app)

    with pytest.raises(UndeclaredRoute, match="/forgotten does not declare its permissions"):
        require_declarations(app)
    with pytest.raises(UndeclaredRoute):
        async with app.router.lifespan_context(app):
            pytest.fail("it started")
