"""Limits of concurrent requests and streams."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import httpx
import pytest
from query_api_testing.served import until

from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve
from ops.testing.metrics import sample
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app
from query_api.settings import FeedSettings

EVENTS = "/api/v1/events"
STREAM = f"{EVENTS}?format=sse"
LINES = f"{EVENTS}?format=ndjson"
LONG_POLL = f"{EVENTS}?after=head&wait=30"
DRIVERS = "/api/v1/drivers"

Serving = Callable[..., AbstractAsyncContextManager[str]]
As = Callable[[str], dict[str, str]]


@pytest.fixture
def serving(database: Database, settings_with: Callable[..., ServiceSettings]) -> Serving:
    """Start a query API with limits, for an empty fleet."""

    def serving(*, requests: int = 100, streams: int = 100) -> AbstractAsyncContextManager[str]:
        settings = settings_with(database=database.query, requests_per_subject=requests)
        return serve(build_app(settings, FeedSettings(streams_per_subject=2, streams=streams)))

    return serving


@pytest.fixture
def signed_in(issuer: TokenIssuer) -> As:
    """Return the headers of a subject's requests."""
    return lambda subject: {"Authorization": f"Bearer {issuer.token(sub=subject)}"}


def client_at(origin: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=origin, trust_env=False, timeout=60)


def refused(answer: httpx.Response) -> int:
    assert answer.headers["content-type"] == "application/problem+json"
    assert int(answer.headers["retry-after"]) > 0
    assert answer.headers["x-request-id"] == answer.json()["request_id"]
    return answer.status_code


def is_answered(answer: httpx.Response) -> bool:
    """Return whether the server has noticed the end of a stream."""
    return answer.status_code == 200


async def test_streams_and_long_polls_of_a_subject_are_limited(serving: Serving, signed_in: As) -> None:
    before = sample("fleetlog_limit_refusals_total", limit="streams-of-subject")
    greedy = signed_in("greedy")
    async with serving() as origin, client_at(origin) as client, AsyncExitStack() as streams:
        for _ in range(2):
            stream = await streams.enter_async_context(client.stream("GET", STREAM, headers=greedy))
            assert stream.status_code == 200
        for path in (STREAM, LONG_POLL, LINES):
            assert refused(await client.get(path, headers=greedy)) == 429
        assert (await client.get(EVENTS, headers=greedy)).status_code == 200  # ends at once
        async with client.stream("GET", STREAM, headers=signed_in("another")) as stream:
            assert stream.status_code == 200
        await streams.aclose()
        await until(client, LINES, is_answered, **greedy)
    assert sample("fleetlog_limit_refusals_total", limit="streams-of-subject") >= before + 3


async def test_streams_of_all_subjects_are_limited(serving: Serving, signed_in: As) -> None:
    async with (
        serving(streams=2) as origin,
        client_at(origin) as client,
        client.stream("GET", STREAM, headers=signed_in("first")),
        client.stream("GET", STREAM, headers=signed_in("second")),
    ):
        assert refused(await client.get(STREAM, headers=signed_in("third"))) == 503
        assert (await client.get(DRIVERS, headers=signed_in("third"))).status_code == 200


async def test_concurrent_requests_of_a_subject_are_limited(serving: Serving, signed_in: As) -> None:
    greedy = signed_in("greedy")
    async with serving(requests=1) as origin, client_at(origin) as client:
        async with client.stream("GET", STREAM, headers=greedy):  # runs for as long as it lasts
            assert refused(await client.get(DRIVERS, headers=greedy)) == 429
            assert (await client.get(DRIVERS, headers=signed_in("another"))).status_code == 200
        await until(client, DRIVERS, is_answered, **greedy)
