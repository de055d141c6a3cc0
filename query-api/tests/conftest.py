"""The query API over real HTTP, with real tokens and a real database."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from projections_testing.encrypted_fleet import encrypt, local_keys
from query_api_testing.served import ADDRESS, FollowedFleet, client_of, empty

from ops.base.database.pools import Pool
from ops.base.encryption.stores import KeyStore
from ops.base.permissions import Permission
from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve, until_ready
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app
from query_api.settings import FeedSettings


@pytest.fixture(scope="session")
def issuer() -> Iterator[TokenIssuer]:
    with TokenIssuer() as issuer:
        yield issuer


@pytest.fixture
def database(module_database: Database) -> Database:
    """The module's database, empty and with a log of its own."""
    with psycopg.connect(module_database.owner, autocommit=True) as owner:
        empty(owner)
    return module_database


@pytest.fixture
def fleet(database: Database) -> Iterator[FollowedFleet]:
    """An empty fleet."""
    with psycopg.connect(database.owner, autocommit=True) as connection:
        yield FollowedFleet(connection, database)


@pytest.fixture
async def pool(database: Database) -> AsyncIterator[Pool]:
    """A connection of the query API to the test's database."""
    async with Pool(database.query, size=1) as pool:
        yield pool


@pytest.fixture(scope="module")
def owner(module_database: Database) -> Iterator[psycopg.Connection]:
    """A connection of the owner to the module's database."""
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def settings_with(issuer: TokenIssuer) -> Callable[..., ServiceSettings]:
    """Makes settings that trust the issuer; without a database, if none is given."""

    def settings_with(**more: object) -> ServiceSettings:
        usual = {"issuer": issuer.issuer, "audience": issuer.audience, "jwks_url": issuer.jwks_url}
        return ServiceSettings.model_validate({"database": "", "public_address": ADDRESS, **usual, **more})

    return settings_with


@pytest.fixture
def feed_settings() -> FeedSettings:
    """For tests that would rather not wait."""
    return FeedSettings(heartbeat_seconds=0.2, stall_seconds=2, retry_seconds=0)


@pytest.fixture
async def origin(
    database: Database, settings_with: Callable[..., ServiceSettings], feed_settings: FeedSettings
) -> AsyncIterator[str]:
    """A query API of the test's own."""
    app = build_app(settings_with(database=database.query), feed_settings)
    async with serve(app) as origin, httpx.AsyncClient(base_url=origin, trust_env=False) as client:
        await until_ready(client)
        yield origin


@pytest.fixture
async def client(origin: str, issuer: TokenIssuer, fleet: FollowedFleet) -> AsyncIterator[httpx.AsyncClient]:
    """A client with all permissions; the read tables catch up before each of its requests."""
    async with client_of(origin, issuer, fleet) as client:
        yield client


@pytest.fixture
async def masked_client(
    origin: str, issuer: TokenIssuer, fleet: FollowedFleet
) -> AsyncIterator[httpx.AsyncClient]:
    """The same with all permissions but `personal:read`."""
    permissions = [permission for permission in Permission if permission != Permission.PERSONAL_READ]
    async with client_of(origin, issuer, fleet, permissions=permissions) as client:
        yield client


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[KeyStore]:
    """A key store that this process and query APIs started by the test use."""
    monkeypatch.setenv("FLEETLOG_KEYS", str(tmp_path))
    async with local_keys(tmp_path) as store:
        yield store


@pytest.fixture
async def encrypted_fleet(fleet: FollowedFleet, store: KeyStore) -> FollowedFleet:
    """An empty encrypted fleet; requested before `origin`."""
    await encrypt(fleet, store)
    return fleet


@pytest.fixture(scope="module")
async def shared_origin(
    module_database: Database, settings_with: Callable[..., ServiceSettings]
) -> AsyncIterator[str]:
    """A query API of an empty fleet that the tests of a module share."""
    app = build_app(settings_with(database=module_database.query))
    async with serve(app) as origin, httpx.AsyncClient(base_url=origin, trust_env=False) as client:
        await until_ready(client)
        yield origin


@pytest.fixture(scope="module")
async def shared_client(shared_origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client of it with all permissions."""
    async with client_of(shared_origin, issuer) as client:
        yield client
