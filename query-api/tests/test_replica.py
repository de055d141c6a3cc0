"""Reading from a streaming replica: nobody misses their own writes, and the primary stands in for it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import psycopg
import pytest
from projections_testing.fleet import Fleet
from projections_testing.following import catch_up
from psycopg.conninfo import conninfo_to_dict

from ops.base.settings import ServiceSettings
from ops.testing.postgres import Database, PostgresServer
from ops.testing.replica import ReplicaServer, throw_away_replica
from ops.testing.serving import serving
from ops.testing.token_issuer import TokenIssuer
from query_api import app, readers
from query_api.replica import Replica
from query_api.settings import QuerySettings

pytestmark = pytest.mark.integration

DRIVERS = "/api/v1/drivers"
LONGEST_LAG_SECONDS = 3.0
SLOW_MACHINE_SECONDS = 60.0


@pytest.fixture(scope="module")
def replica(postgres: PostgresServer) -> Iterator[ReplicaServer]:
    with throw_away_replica(postgres) as replica:
        yield replica


Reading = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def reading_from(database: Database, issuer: TokenIssuer, monkeypatch: pytest.MonkeyPatch) -> Reading:
    """A client of a query API that reads from a replica, with less patience than in production."""

    def reading(dsn: str, *, settle_seconds: float = 0) -> AbstractAsyncContextManager[httpx.AsyncClient]:
        impatient = partial(Replica, longest_lag_seconds=LONGEST_LAG_SECONDS, settle_seconds=settle_seconds)
        monkeypatch.setattr(readers, "Replica", impatient)
        return client_of(dsn, database, issuer)

    return reading


@asynccontextmanager
async def client_of(dsn: str, database: Database, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    settings = ServiceSettings.model_validate(
        {
            "database": database.query,
            "issuer": issuer.issuer,
            "audience": issuer.audience,
            "jwks_url": issuer.jwks_url,
        }
    )
    headers = {"Authorization": f"Bearer {issuer.token()}"}
    async with (
        serving(app.build_app(settings, replica=dsn)) as origin,
        httpx.AsyncClient(base_url=origin, headers=headers, trust_env=False, timeout=30) as client,
    ):
        yield client


async def until_told(client: httpx.AsyncClient, fault: str | None) -> None:
    """Wait until the API says so of its replica; it is ready all the time."""
    async with asyncio.timeout(SLOW_MACHINE_SECONDS):
        while True:
            answer = await client.get("/readyz")
            assert answer.status_code == 200
            reported = answer.json()["checks"]["replica"]["detail"]
            if reported == fault or (fault and reported and fault in reported):
                return
            await asyncio.sleep(0.02)


async def register(fleet: Fleet, database: Database, entity_id: str) -> dict[str, str]:
    """Register a driver, have it projected, and return what a client then sends with its queries."""
    fleet.register("driver", entity_id)
    async with await psycopg.AsyncConnection.connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    row = fleet.connection.execute("SELECT log_id FROM log.identity").fetchone()
    assert row
    return {"Fleetlog-Position": f"{row[0]}:{fleet.position}"}


async def drivers(client: httpx.AsyncClient, headers: dict[str, str] | None = None) -> tuple[list[str], bool]:
    """Return the ids of the list, and whether it was asked to be stale."""
    answer = (await client.get(DRIVERS, headers=headers)).raise_for_status()
    ids = [record["id"] for record in answer.json()["content"]]
    return ids, answer.headers.get("fleetlog-consistency") == "stale"


def test_its_password_is_the_primarys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("correct horse")
    monkeypatch.setenv("FLEETLOG_DATABASE", "postgresql://someone@primary/fleetlog")
    monkeypatch.setenv("FLEETLOG_READ_DATABASE", "postgresql://someone@replica/fleetlog")
    monkeypatch.setenv("FLEETLOG_DATABASE_PASSWORD_FILE", str(tmp_path / "password"))
    settings = QuerySettings.load()
    assert conninfo_to_dict(settings.replica or "") == {
        **conninfo_to_dict(settings.database.get_secret_value()),
        "host": "replica",
    }


async def test_who_has_written_waits_for_the_replica_and_is_told_when_that_is_in_vain(
    fleet: Fleet, database: Database, replica: ReplicaServer, reading_from: Reading
) -> None:
    async with reading_from(replica.at(database.query)) as client:
        await until_told(client, None)
        written = await register(fleet, database, "EMP-1")
        assert await drivers(client, written) == (["EMP-1"], False)
        with replica.standing_still():
            written = await register(fleet, database, "EMP-2")
            assert await drivers(client) == (["EMP-1"], False)  # it is the replica that is read
            assert await drivers(client, written) == (["EMP-1"], True)
            feed = await client.get("/api/v1/events?format=batch", headers=written)
            assert len(feed.json()) == 2  # which the primary answers
            await until_told(client, "behind")
            assert await drivers(client, written) == (["EMP-1", "EMP-2"], False)
        await until_told(client, None)


async def test_it_is_not_read_before_all_queries_that_did_not_wait_for_it_are_over(
    fleet: Fleet, database: Database, replica: ReplicaServer, reading_from: Reading
) -> None:
    async with reading_from(replica.at(database.query), settle_seconds=600) as client:
        await until_told(client, None)
        with replica.standing_still():
            written = await register(fleet, database, "EMP-1")
            assert await drivers(client, written) == (["EMP-1"], True)  # waited for there, and read here


async def test_a_replica_that_is_gone_costs_no_read(
    fleet: Fleet, database: Database, replica: ReplicaServer, reading_from: Reading
) -> None:
    async with reading_from(replica.at(database.query)) as client:
        await until_told(client, None)
        replica.stop()
        try:
            written = await register(fleet, database, "EMP-1")
            assert await drivers(client, written) == (["EMP-1"], False)
            assert (await client.get(f"{DRIVERS}/EMP-1/history", headers=written)).status_code == 200
            await until_told(client, "it does not answer")
        finally:
            replica.start()
        await until_told(client, None)


async def test_a_database_of_another_log_is_never_read(
    postgres: PostgresServer, fleet: Fleet, database: Database, reading_from: Reading
) -> None:
    other = postgres.create_database()
    try:
        async with reading_from(other.query) as client:
            await until_told(client, "it holds another log")
            await register(fleet, database, "EMP-1")
            assert await drivers(client) == (["EMP-1"], False)
    finally:
        postgres.drop_database(other)
