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


def _serving(database: Database, issuer: TokenIssuer) -> AbstractAsyncContextManager[str]:
    settings = ServiceSettings.model_validate(
        {
            "database": database.query,
            "issuer": issuer.issuer,
            "audience": issuer.audience,
            "jwks_url": issuer.jwks_url,
        }
    )
    return serving(build_app(settings))


def _client(origin: str, issuer: TokenIssuer) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {issuer.token()}"}
    return httpx.AsyncClient(base_url=origin, headers=headers, trust_env=False)
