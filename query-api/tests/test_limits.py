"""Limits of concurrent requests and streams."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import httpx
import pytest

from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve
from ops.testing.metrics import sample
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app
from query_api.feed.settings import FeedSettings

pytestmark = pytest.mark.integration

EVENTS = "/api/v1/events"
STREAM = f"{EVENTS}?format=sse"
LONG_POLL = f"{EVENTS}?after=head&wait=30"
DRIVERS = "/api/v1/drivers"


class Visitors:
    """Clients of a query API, each with a token of its own."""

    def __init__(self, client: httpx.AsyncClient, issuer: TokenIssuer) -> None:
        self._client = client
        self._issuer = issuer

    async def get(self, subject: str, path: str) -> httpx.Response:
        return await self._client.get(path, headers=self._signed_in(subject))

    async def until_answered(self, subject: str, path: str) -> None:
        """Retry until answered: the server notices the end of a stream with a delay."""
        async with asyncio.timeout(60):
            while (await self.get(subject, path)).status_code != 200:  # noqa: ASYNC110 - no event to await
                await asyncio.sleep(0.01)

    @asynccontextmanager
    async def streaming(self, subject: str, path: str = STREAM) -> AsyncIterator[httpx.Response]:
        async with self._client.stream("GET", path, headers=self._signed_in(subject)) as answer:
            yield answer

    def _signed_in(self, subject: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._issuer.token(sub=subject)}"}


Opening = Callable[..., AbstractAsyncContextManager[Visitors]]


@pytest.fixture
def visitors(
    database: Database, settings_with: Callable[..., ServiceSettings], issuer: TokenIssuer
) -> Opening:
    """Start a query API with limits, for an empty fleet."""

    @asynccontextmanager
    async def visitors(*, requests: int = 100, streams: int = 100) -> AsyncIterator[Visitors]:
        settings = settings_with(database=database.query, requests_per_subject=requests)
        feed = FeedSettings(streams_per_subject=2, streams=streams)
        async with (
            serve(build_app(settings, feed)) as origin,
            httpx.AsyncClient(base_url=origin, trust_env=False, timeout=60) as client,
        ):
            yield Visitors(client, issuer)

    return visitors


def refused(answer: httpx.Response) -> int:
    assert answer.headers["content-type"] == "application/problem+json"
    assert int(answer.headers["retry-after"]) > 0
    assert answer.headers["x-request-id"] == answer.json()["request_id"]
    return answer.status_code


async def test_streams_and_long_polls_of_a_subject_are_limited(
    visitors: Opening,
) -> None:
    before = sample("fleetlog_limit_refusals_total", limit="streams-of-subject")
    async with visitors() as come, AsyncExitStack() as open_streams:
        for _ in range(2):
            stream = await open_streams.enter_async_context(come.streaming("greedy"))
            assert stream.status_code == 200
        for path in (STREAM, LONG_POLL, f"{EVENTS}?format=ndjson"):
            assert refused(await come.get("greedy", path)) == 429
        assert (await come.get("greedy", EVENTS)).status_code == 200  # ends at once
        async with come.streaming("another") as stream:
            assert stream.status_code == 200
        await open_streams.aclose()
        await come.until_answered("greedy", f"{EVENTS}?format=ndjson")
    assert sample("fleetlog_limit_refusals_total", limit="streams-of-subject") >= before + 3


async def test_streams_of_all_subjects_are_limited(visitors: Opening) -> None:
    async with (
        visitors(streams=2) as come,
        come.streaming("first"),
        come.streaming("second"),
    ):
        assert refused(await come.get("third", STREAM)) == 503
        assert (await come.get("third", DRIVERS)).status_code == 200


async def test_concurrent_requests_of_a_subject_are_limited(visitors: Opening) -> None:
    async with visitors(requests=1) as come:
        async with come.streaming("greedy"):  # runs for as long as it lasts
            assert refused(await come.get("greedy", DRIVERS)) == 429
            assert (await come.get("another", DRIVERS)).status_code == 200
        await come.until_answered("greedy", DRIVERS)
