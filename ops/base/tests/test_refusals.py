"""Requests that every service refuses."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from starlette.responses import Response

from ops.base.http.direct_routes import add_routes
from ops.base.http.health import FOR_ANYBODY, ReadinessCheck
from ops.base.http.server import create_app
from ops.testing.http_servers import serve


@pytest.fixture
async def origin() -> AsyncIterator[str]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield

    async def ready() -> dict[str, ReadinessCheck]:
        return {}

    app = create_app(
        service="test",
        title="Test",
        description="",
        readiness=ready,
        lifespan=lifespan,
        answer_seconds=0.2,
    )

    async def nothing() -> Response:
        return Response()

    async def never() -> Response:
        await asyncio.sleep(3600)
        return Response()

    router = APIRouter()
    for method in ("PUT", "DELETE"):
        router.add_api_route("/things/{name}", nothing, methods=[method], name=method, **FOR_ANYBODY)
    router.add_api_route("/things", nothing, methods=["POST"], name="POST", **FOR_ANYBODY)
    add_routes(app, router)
    app.add_api_route("/never", never, methods=["POST"], **FOR_ANYBODY)
    async with serve(app) as origin:
        yield origin


@pytest.mark.parametrize("method", ["GET", "OPTIONS", "PATCH", "TRACE"])
async def test_unknown_method_is_answered_with_the_allowed_ones(origin: str, method: str) -> None:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        one = await client.request(method, f"{origin}/things/1")
        all_ = await client.request(method, f"{origin}/things")
    assert (one.status_code, one.headers["allow"]) == (405, "DELETE, PUT")
    assert (all_.status_code, all_.headers["allow"]) == (405, "POST")
    assert one.json()["type"] == "urn:fleetlog:problem:method-not-allowed"


@pytest.mark.parametrize(
    "request_",
    [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nA: \x0c\r\n\r\n", b"GET / HTTP/1.1\r\nA: \0\r\n\r\n"],
)
async def test_malformed_http_is_answered_with_a_problem(origin: str, request_: bytes) -> None:
    host, _, port = origin.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request_)
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    lines = (line.partition(b": ") for line in head.split(b"\r\n")[1:])
    headers = httpx.Headers([(name, value) for name, _, value in lines])
    problem = json.loads(body)
    assert head.startswith(b"HTTP/1.1 400 ")
    assert headers["content-type"] == "application/problem+json"
    assert int(headers["content-length"]) == len(body)
    assert (problem["status"], problem["request_id"]) == (400, headers["x-request-id"])


async def test_a_request_that_takes_too_long_is_answered_with_503(origin: str) -> None:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        answer = await client.post(f"{origin}/never")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["type"] == "urn:fleetlog:problem:unavailable"
