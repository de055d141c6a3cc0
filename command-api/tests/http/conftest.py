"""The command API over real HTTP, with real tokens and a real database."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from command_api.app import build_app
from ops.base.settings import ServiceSettings
from ops.testing.postgres import Database
from ops.testing.serving import serving
from ops.testing.token_issuer import TokenIssuer


@pytest.fixture(scope="module")
def issuer() -> Iterator[TokenIssuer]:
    with TokenIssuer() as issuer:
        yield issuer


@pytest.fixture(scope="module")
async def origin(module_database: Database, issuer: TokenIssuer) -> AsyncIterator[str]:
    settings = ServiceSettings.model_validate(
        {
            "database": module_database.command,
            "issuer": issuer.issuer,
            "audience": issuer.audience,
            "jwks_url": issuer.jwks_url,
        }
    )
    async with serving(build_app(settings)) as origin:
        yield origin


@pytest.fixture(scope="module")
async def client(origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client that is signed in."""
    headers = {"Authorization": f"Bearer {issuer.token()}"}
    async with httpx.AsyncClient(base_url=origin, headers=headers, trust_env=False) as client:
        yield client
