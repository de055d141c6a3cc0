"""A client never reads the state before its last write, unless marked stale, on primary and replica."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import httpx
import psycopg
import pytest
from projections_testing.leases import at_work, eventually
from psycopg.conninfo import conninfo_to_dict
from query_api_testing.served import FollowedFleet, client_of

from ops.base.settings import ServiceSettings
from ops.testing.conditions import PATIENCE_SECONDS, wait_until
from ops.testing.http_servers import serve, until_ready
from ops.testing.metrics import sample
from ops.testing.postgres import Database, PostgresServer
from ops.testing.replica import ReplicaServer, throw_away_replica
from ops.testing.token_issuer import TokenIssuer
from projections.catalogue import PROJECTIONS
from query_api import app
from query_api.database import readers
from query_api.database.replica import Replica
from query_api.freshness import read_your_writes as freshness
from query_api.freshness.read_your_writes import Freshness
from query_api.settings import QuerySettings

DRIVERS = "/api/v1/drivers"
EMP_1 = f"{DRIVERS}/EMP-1"
TIMEOUTS = "fleetlog_read_your_writes_timeouts_total"


@pytest.fixture
async def client(origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client whose requests name no position unless a test says so."""
    async with client_of(origin, issuer) as client:
        yield client


@pytest.fixture
async def worker(database: Database, fleet: FollowedFleet) -> AsyncIterator[None]:
    """A worker that projects the drivers; tests slow it down."""
    async with at_work(database, PROJECTIONS["drivers"]) as (follower,):
        await eventually(lambda: follower.state.ok)
        yield


@contextmanager
def stopped_projection(database: Database) -> Iterator[psycopg.Connection]:
    """Lock the worker's position until the holder is rolled back or the context ends."""
    with psycopg.connect(database.owner) as holder:
        holder.execute("SELECT FROM read.positions WHERE projection = 'drivers' FOR UPDATE")
        yield holder


async def release_after(seconds: float, holder: psycopg.Connection) -> None:
    await asyncio.sleep(seconds)
    holder.rollback()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let queries wait without a limit, for slow machines."""
    monkeypatch.setattr(
        "query_api.database.readers.Freshness", partial(Freshness, patience_seconds=PATIENCE_SECONDS)
    )


@pytest.mark.usefixtures("patient", "worker")
@pytest.mark.parametrize("carrier", ["header", "cookie"])
async def test_query_waits_for_a_slow_projection(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database, carrier: str
) -> None:
    with stopped_projection(database) as holder:
        fleet.register("driver", "EMP-1")
        position = fleet.place()
        headers = (
            {"Fleetlog-Position": position}
            if carrier == "header"
            else {"Cookie": f"fleetlog_position={position}"}
        )
        began = time.monotonic()
        release = asyncio.create_task(release_after(1, holder))
        single, listed = await asyncio.gather(
            client.get(EMP_1, headers=headers), client.get(DRIVERS, headers=headers)
        )
        await release
    assert time.monotonic() - began > 0.95
    assert single.status_code == 200
    assert [record["id"] for record in listed.json()["content"]] == ["EMP-1"]
    assert "fleetlog-consistency" not in single.headers
    assert "fleetlog-consistency" not in listed.headers


@pytest.mark.usefixtures("worker")
async def test_query_over_a_new_connection_waits_for_commits_that_a_crash_lost(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "CATCH_UP_SECONDS", PATIENCE_SECONDS)
    fleet.register("driver", "EMP-1", city="Kochi")
    # The list, so that no answer about the driver is cached.
    await client.get(DRIVERS, headers=fleet.written())
    with stopped_projection(database) as holder, psycopg.connect(database.owner, autocommit=True) as owner:

        def sessions(query: str = "") -> int:
            cursor = owner.execute(
                "SELECT FROM pg_stat_activity WHERE usename LIKE '%%query' AND query LIKE %s", (f"%{query}%",)
            )
            return cursor.rowcount

        fleet.change("driver", "EMP-1", city="Pune")
        await wait_until(lambda: sessions() > readers.POOL_SIZE + readers.SEARCH_POOL_SIZE)
        owner.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename LIKE '%query'"
        )
        reading = asyncio.create_task(client.get(EMP_1))
        await wait_until(lambda: sessions("NOT EXISTS (SELECT FROM read.positions") > 0)
        holder.rollback()
        assert (await reading).json()["driver_by_pk"]["city"] == "Pune"


@pytest.mark.usefixtures("worker")
async def test_query_answers_stale_after_two_seconds(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "MISSING_SECONDS", 0.1)
    etag = (await client.get(DRIVERS)).headers["etag"]
    with stopped_projection(database):
        fleet.register("driver", "EMP-1")
        headers = fleet.written()
        began = time.monotonic()
        answers = await asyncio.gather(
            client.get(EMP_1, headers=headers),
            client.head(DRIVERS, headers=headers),
            client.get(DRIVERS, headers={**headers, "If-None-Match": etag}),
        )
        assert time.monotonic() - began > 1.95
    assert [answer.status_code for answer in answers] == [404, 200, 304]
    assert [answer.headers["fleetlog-consistency"] for answer in answers] == ["stale"] * 3


@pytest.mark.usefixtures("worker")
async def test_query_waits_longer_for_a_new_record(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    with stopped_projection(database):
        fleet.register("driver", "EMP-1")
        given_up = sample(TIMEOUTS)
        reading = asyncio.create_task(client.get(EMP_1, headers=fleet.written()))
        await wait_until(lambda: sample(TIMEOUTS) > given_up)
        assert not reading.done()
    answer = await reading
    assert (answer.status_code, answer.headers.get("fleetlog-consistency")) == (200, None)


@pytest.mark.usefixtures("worker")
async def test_query_without_a_valid_position_does_not_wait(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    with stopped_projection(database):
        fleet.register("driver", "EMP-1")
        for position in ("0" * 32 + ":1", fleet.place(1), fleet.place(-1), "nonsense", "", None):
            headers = {} if position is None else {"Fleetlog-Position": position}
            answer = await client.get(DRIVERS, headers=headers)
            assert answer.json() == {"content": []}
            assert "fleetlog-consistency" not in answer.headers


@pytest.mark.usefixtures("patient", "worker")
async def test_larger_position_of_header_and_cookie_is_used(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    for smaller, larger in (("Fleetlog-Position", "Cookie"), ("Cookie", "Fleetlog-Position")):
        await client.get(EMP_1, headers=fleet.written())
        with stopped_projection(database) as holder:
            fleet.change("driver", "EMP-1", city=larger)
            values = {smaller: fleet.place(-1), larger: fleet.place()}
            values["Cookie"] = f"fleetlog_position={values['Cookie']}"
            release = asyncio.create_task(release_after(0.2, holder))
            answer = await client.get(EMP_1, headers=values)
            await release
        assert answer.json()["driver_by_pk"]["city"] == larger


LONGEST_LAG_SECONDS = 3.0


@pytest.fixture(scope="module")
def replica(postgres: PostgresServer) -> Iterator[ReplicaServer]:
    with throw_away_replica(postgres) as replica:
        yield replica


Reading = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def reading_from(
    database: Database,
    settings_with: Callable[..., ServiceSettings],
    issuer: TokenIssuer,
    monkeypatch: pytest.MonkeyPatch,
) -> Reading:
    """A client of a query API that reads from a replica, with short time limits."""

    def reading(dsn: str, *, settle_seconds: float = 0) -> AbstractAsyncContextManager[httpx.AsyncClient]:
        impatient = partial(Replica, longest_lag_seconds=LONGEST_LAG_SECONDS, settle_seconds=settle_seconds)
        monkeypatch.setattr(readers, "Replica", impatient)
        return client_beside(dsn, settings_with(database=database.query), issuer)

    return reading


@asynccontextmanager
async def client_beside(
    dsn: str, settings: ServiceSettings, issuer: TokenIssuer
) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serve(app.build_app(settings, replica=dsn)) as origin,
        client_of(origin, issuer) as client,
    ):
        await until_ready(client)
        yield client


async def until_reported(client: httpx.AsyncClient, fault: str | None) -> None:
    """Wait until the API reports a fault of its replica; the API stays ready."""

    async def is_reported() -> bool:
        answer = await client.get("/readyz")
        assert answer.status_code == 200
        reported = answer.json()["checks"]["replica"]["detail"]
        return reported == fault or bool(fault and reported and fault in reported)

    await wait_until(is_reported)


async def register(fleet: FollowedFleet, entity_id: str) -> dict[str, str]:
    """Register and project a driver, and return the headers of the client that has written it."""
    fleet.register("driver", entity_id)
    await fleet.catch_up()
    return fleet.written()


async def drivers(client: httpx.AsyncClient, headers: dict[str, str] | None = None) -> tuple[list[str], bool]:
    """Return the ids of the list, and whether the list is stale."""
    answer = (await client.get(DRIVERS, headers=headers)).raise_for_status()
    ids = [record["id"] for record in answer.json()["content"]]
    return ids, answer.headers.get("fleetlog-consistency") == "stale"


def test_replica_has_the_primarys_password(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("correct horse")
    monkeypatch.setenv("FLEETLOG_DATABASE", "postgresql://someone@primary/fleetlog")
    monkeypatch.setenv("FLEETLOG_READ_DATABASE", "postgresql://someone@replica/fleetlog")
    monkeypatch.setenv("FLEETLOG_DATABASE_PASSWORD_FILE", str(tmp_path / "password"))
    settings = QuerySettings.load()
    assert conninfo_to_dict(settings.replica or "") == {
        **conninfo_to_dict(settings.database.get_secret_value()),
        "host": "replica",
    }


async def test_query_waits_for_the_replica_or_is_stale(
    fleet: FollowedFleet, database: Database, replica: ReplicaServer, reading_from: Reading
) -> None:
    async with reading_from(replica.at(database.query)) as client:
        await until_reported(client, None)
        written = await register(fleet, "EMP-1")
        assert await drivers(client, written) == (["EMP-1"], False)
        with replica.standing_still():
            written = await register(fleet, "EMP-2")
            assert await drivers(client) == (["EMP-1"], False)  # read from the replica
            assert await drivers(client, written) == (["EMP-1"], True)
            feed = await client.get("/api/v1/events?format=batch", headers=written)
            assert len(feed.json()) == 2  # read from the primary
            await until_reported(client, "behind")
            assert await drivers(client, written) == (["EMP-1", "EMP-2"], False)
        await until_reported(client, None)


async def test_searched_and_sorted_pages_are_read_from_the_primary(
    fleet: FollowedFleet, database: Database, replica: ReplicaServer, reading_from: Reading
) -> None:
    async with reading_from(replica.at(database.query)) as client:
        await until_reported(client, None)
        written = await register(fleet, "EMP-1")
        assert await drivers(client, written) == (["EMP-1"], False)
        with replica.standing_still():
            await register(fleet, "EMP-2")
            for view, found in (("page=0", 1), ("sort=id,desc", 2), ("q=emp", 2), ("sort=name,asc", 2)):
                answer = (await client.get(f"{DRIVERS}?{view}")).raise_for_status()
                assert len(answer.json()["content"]) == found, view


async def test_replica_is_not_read_before_it_has_settled(
    fleet: FollowedFleet, database: Database, replica: ReplicaServer, reading_from: Reading
) -> None:
    async with reading_from(replica.at(database.query), settle_seconds=600) as client:
        await until_reported(client, None)
        with replica.standing_still():
            written = await register(fleet, "EMP-1")
            assert await drivers(client, written) == (
                ["EMP-1"],
                True,
            )  # waits on the replica, reads from the primary


async def test_lost_replica_fails_no_read(
    fleet: FollowedFleet, database: Database, replica: ReplicaServer, reading_from: Reading
) -> None:
    async with reading_from(replica.at(database.query)) as client:
        await until_reported(client, None)
        replica.stop()
        try:
            written = await register(fleet, "EMP-1")
            assert await drivers(client, written) == (["EMP-1"], False)
            assert (await client.get(f"{DRIVERS}/EMP-1/history", headers=written)).status_code == 200
            await until_reported(client, "it does not answer")
        finally:
            replica.start()
        await until_reported(client, None)


async def test_replica_of_another_log_is_never_read(
    postgres: PostgresServer, fleet: FollowedFleet, database: Database, reading_from: Reading
) -> None:
    other = postgres.create_database()
    try:
        async with reading_from(other.query) as client:
            await until_reported(client, "it holds another log")
            await register(fleet, "EMP-1")
            assert await drivers(client) == (["EMP-1"], False)
    finally:
        postgres.drop_database(other)
