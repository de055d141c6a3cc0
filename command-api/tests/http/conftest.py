"""The command API over HTTP, with signed tokens, on a log in memory or in PostgreSQL."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import httpx
import pytest
from command_api_testing.fleet import client_of, hold_references
from command_api_testing.log_in_memory import LogInMemory

from command_api.app import build_app
from command_api.event_store.log import EventLog
from ops.base.encryption.actors import ACTORS, ActorEntry
from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve, until_ready
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer

SettingsWith = Callable[..., ServiceSettings]
Users = dict[str, httpx.AsyncClient]


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


@pytest.fixture(autouse=True)
def references(request: pytest.FixtureRequest) -> None:
    """The records to which assignments refer, for tests of all entity types on a log in memory."""
    parameters = getattr(getattr(request.node, "callspec", None), "params", {})
    if "log" in request.fixturenames and "assignment" in map(str, parameters.values()):
        hold_references(request.getfixturevalue("log"))


@pytest.fixture(scope="module")
async def client(
    log: LogInMemory, settings_with: SettingsWith, issuer: TokenIssuer
) -> AsyncIterator[httpx.AsyncClient]:
    """A signed-in client of a service on the log in memory."""
    async with serve(build_app(settings_with(), log)) as origin, client_of(origin, issuer) as client:
        yield client


@pytest.fixture
async def users_of(
    settings_with: SettingsWith, issuer: TokenIssuer
) -> AsyncIterator[Callable[..., Awaitable[Users]]]:
    """Starts a service on a log, and returns its clients by the users' names, with their permissions."""
    async with AsyncExitStack() as opened:

        async def users_of(log: EventLog, users: Mapping[str, Iterable[str]], **settings: object) -> Users:
            origin = await opened.enter_async_context(serve(build_app(settings_with(**settings), log)))
            clients = {
                name: client_of(origin, issuer, sub=f"dev|{name}", permissions=sorted(permissions))
                for name, permissions in users.items()
            }
            return {name: await opened.enter_async_context(client) for name, client in clients.items()}

        yield users_of


@pytest.fixture(scope="module")
async def client_on_postgres(
    module_database: Database, settings_with: SettingsWith, issuer: TokenIssuer
) -> AsyncIterator[httpx.AsyncClient]:
    """A signed-in client of a service on PostgreSQL."""
    settings = settings_with(database=module_database.command)
    async with serve(build_app(settings)) as origin, client_of(origin, issuer) as client:
        await until_ready(client)
        yield client


@pytest.fixture
def known_actors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The directory of actors, which a log in memory lacks: everyone is Asha Menon."""

    async def load(wanted: Iterable[tuple[str, datetime]]) -> dict[str, ActorEntry]:
        names = [("Asha Menon", datetime.min.replace(tzinfo=UTC))]
        return {sub: ActorEntry("key", names, moment, b"names") for sub, moment in wanted}

    monkeypatch.setattr(ACTORS, "load", load)
