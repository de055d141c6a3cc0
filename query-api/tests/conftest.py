"""The query API over real HTTP, with real tokens and a real database."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager

import httpx
import psycopg
import pytest
from projections_testing.fleet import Fleet

from ops.base.settings import ServiceSettings
from ops.testing.postgres import Database
from ops.testing.serving import serving
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app
from query_api.feed.settings import FeedSettings


@pytest.fixture(scope="session")
def issuer() -> Iterator[TokenIssuer]:
    with TokenIssuer() as issuer:
        yield issuer


@pytest.fixture
def fleet(database: Database) -> Iterator[Fleet]:
    """An empty fleet in a database of its own."""
    with psycopg.connect(database.owner, autocommit=True) as connection:
        yield Fleet(connection)


@pytest.fixture
async def client(database: Database, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client that is signed in, of a query API of its own."""
    async with _serving(database, issuer) as origin, _client(origin, issuer) as client:
        yield client


@pytest.fixture(scope="module")
async def shared_origin(module_database: Database, issuer: TokenIssuer) -> AsyncIterator[str]:
    """A query API for a module's tests that change nothing; its tables are empty."""
    async with _serving(module_database, issuer) as origin:
        yield origin


@pytest.fixture(scope="module")
async def shared_client(shared_origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client of it that is signed in."""
    async with _client(shared_origin, issuer) as client:
        yield client


@pytest.fixture
def feed_settings() -> FeedSettings:
    """For tests that would rather not wait."""
    return FeedSettings(heartbeat_seconds=0.2, stall_seconds=2, retry_seconds=0)


@pytest.fixture
async def hasty_origin(
    database: Database, issuer: TokenIssuer, feed_settings: FeedSettings
) -> AsyncIterator[str]:
    """A query API whose feed has little patience."""
    async with _serving(database, issuer, feed_settings) as origin:
        yield origin


@pytest.fixture
async def hasty_client(hasty_origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client of it that is signed in."""
    async with _client(hasty_origin, issuer) as client:
        yield client


def _serving(
    database: Database, issuer: TokenIssuer, feed: FeedSettings | None = None
) -> AbstractAsyncContextManager[str]:
    settings = ServiceSettings.model_validate(
        {
            "database": database.query,
            "issuer": issuer.issuer,
            "audience": issuer.audience,
            "jwks_url": issuer.jwks_url,
            "public_address": "https://fleet.example",
        }
    )
    return serving(build_app(settings, feed))


def _client(origin: str, issuer: TokenIssuer) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {issuer.token()}"}
    return httpx.AsyncClient(base_url=origin, headers=headers, trust_env=False, timeout=60)
