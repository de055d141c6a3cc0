"""The query API over real HTTP, with real tokens and a real database."""

from collections.abc import AsyncIterator, Iterator

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
async def origin(database: Database, issuer: TokenIssuer) -> AsyncIterator[str]:
    settings = ServiceSettings.model_validate(
        {
            "database": database.query,
            "issuer": issuer.issuer,
            "audience": issuer.audience,
            "jwks_url": issuer.jwks_url,
        }
    )
    async with serving(build_app(settings)) as origin:
        yield origin


@pytest.fixture
async def client(origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client that is signed in."""
    headers = {"Authorization": f"Bearer {issuer.token()}"}
    async with httpx.AsyncClient(base_url=origin, headers=headers, trust_env=False) as client:
        yield client
