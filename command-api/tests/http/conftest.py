"""The command API over HTTP, with signed tokens, on a log in memory or in PostgreSQL."""

from collections.abc import AsyncIterator, Callable, Iterator

import httpx
import pytest
from command_api_testing.fleet import client_of
from command_api_testing.log_in_memory import LogInMemory

from command_api.app import build_app
from ops.base.settings import ServiceSettings
from ops.testing.postgres import Database
from ops.testing.serving import serving, until_ready
from ops.testing.token_issuer import TokenIssuer

SettingsWith = Callable[..., ServiceSettings]


@pytest.fixture(scope="module")
def issuer() -> Iterator[TokenIssuer]:
    with TokenIssuer() as issuer:
        yield issuer


@pytest.fixture(scope="module")
def settings_with(issuer: TokenIssuer) -> SettingsWith:
    """Returns settings for the issuer's tokens; without a database by default."""

    def settings_with(**more: object) -> ServiceSettings:
        usual = {"issuer": issuer.issuer, "audience": issuer.audience, "jwks_url": issuer.jwks_url}
        return ServiceSettings.model_validate({"database": "", **usual, **more})

    return settings_with


@pytest.fixture(scope="module")
def log() -> LogInMemory:
    return LogInMemory()


@pytest.fixture(scope="module")
async def client(
    log: LogInMemory, settings_with: SettingsWith, issuer: TokenIssuer
) -> AsyncIterator[httpx.AsyncClient]:
    """A signed-in client of a service on the log in memory."""
    async with serving(build_app(settings_with(), log)) as origin, client_of(origin, issuer) as client:
        yield client


@pytest.fixture(scope="module")
async def client_on_postgres(
    module_database: Database, settings_with: SettingsWith, issuer: TokenIssuer
) -> AsyncIterator[httpx.AsyncClient]:
    """A signed-in client of a service on PostgreSQL."""
    settings = settings_with(database=module_database.command)
    async with serving(build_app(settings)) as origin, client_of(origin, issuer) as client:
        await until_ready(client)
        yield client
