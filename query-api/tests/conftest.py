"""The query API over real HTTP, with real tokens, and a real database or a fleet in memory."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import psycopg
import pytest
from projections_testing.fleet import Fleet
from query_api_testing.fleet_in_memory import ADDRESS, FleetInMemory

from ops.base.permissions import Permission
from ops.base.settings import ServiceSettings
from ops.testing.postgres import Database
from ops.testing.serving import serving, until_ready
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


@pytest.fixture(scope="session")
def settings_with(issuer: TokenIssuer) -> Callable[..., ServiceSettings]:
    """Makes settings that believe the issuer; without a database, if none is given."""

    def settings_with(**more: object) -> ServiceSettings:
        usual = {"issuer": issuer.issuer, "audience": issuer.audience, "jwks_url": issuer.jwks_url}
        return ServiceSettings.model_validate({"database": "", "public_address": ADDRESS, **usual, **more})

    return settings_with


@pytest.fixture
async def client(
    database: Database, settings_with: Callable[..., ServiceSettings], issuer: TokenIssuer
) -> AsyncIterator[httpx.AsyncClient]:
    """A client that is signed in, of a query API of its own."""
    settings = settings_with(database=database.query)
    async with serving(build_app(settings)) as origin, _client(origin, issuer) as client:
        await until_ready(client)
        yield client


@pytest.fixture(scope="module")
async def shared_origin(settings_with: Callable[..., ServiceSettings]) -> AsyncIterator[str]:
    """A query API of an empty fleet in memory."""
    async with serving(build_app(settings_with(), readers=FleetInMemory().readers)) as origin:
        yield origin


@pytest.fixture(scope="module")
async def shared_client(shared_origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client of it that is signed in."""
    async with _client(shared_origin, issuer) as client:
        yield client


@pytest.fixture
def fleet_in_memory() -> FleetInMemory:
    return FleetInMemory()


@pytest.fixture
def feed_settings() -> FeedSettings:
    """For tests that would rather not wait."""
    return FeedSettings(heartbeat_seconds=0.2, stall_seconds=2, retry_seconds=0)


@pytest.fixture
async def hasty_origin(
    fleet_in_memory: FleetInMemory,
    settings_with: Callable[..., ServiceSettings],
    feed_settings: FeedSettings,
) -> AsyncIterator[str]:
    """A query API of a fleet in memory, whose feed has little patience."""
    app = build_app(settings_with(), feed_settings, readers=fleet_in_memory.readers)
    async with serving(app) as origin:
        yield origin


@pytest.fixture
async def hasty_client(hasty_origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client of it that is signed in."""
    async with _client(hasty_origin, issuer) as client:
        yield client


@pytest.fixture
async def masked_client(hasty_origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the same of somebody who may do everything but see personal data."""
    permitted = [permission for permission in Permission if permission != Permission.PERSONAL_READ]
    async with _client(hasty_origin, issuer, permissions=permitted) as client:
        yield client


def _client(origin: str, issuer: TokenIssuer, **claims: Any) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {issuer.token(**claims)}"}
    return httpx.AsyncClient(base_url=origin, headers=headers, trust_env=False, timeout=60)
