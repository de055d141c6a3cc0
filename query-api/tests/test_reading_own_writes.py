"""That whoever has just written never reads the state before it, and is told when it must be so."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial

import httpx
import psycopg
import pytest
from projections_testing.fleet import Fleet
from projections_testing.following import at_work, eventually, follower_of

from command_api.app import build_app as build_command_app
from ops.base.settings import ServiceSettings
from ops.testing.postgres import Database
from ops.testing.serving import serving
from ops.testing.token_issuer import TokenIssuer
from ops.testing.waiting import PATIENCE_SECONDS
from projections.catalogue import PROJECTIONS
from query_api.freshness import Freshness

pytestmark = pytest.mark.integration

DRIVERS = "/api/v1/drivers"
EMP_1 = f"{DRIVERS}/EMP-1"


@pytest.fixture(autouse=True)
async def worker(database: Database, fleet: Fleet) -> AsyncIterator[None]:
    """A worker that keeps the drivers' table; each test slows it on purpose."""
    follower = follower_of(PROJECTIONS["drivers"], database)
    async with at_work(follower):
        await eventually(lambda: follower.state.ok)
        yield


@contextmanager
def stopped_projection(database: Database) -> Iterator[psycopg.Connection]:
    """Hold the position that the worker must move, until its holder is rolled back or the context ends."""
    with psycopg.connect(database.owner) as holder:
        holder.execute("SELECT FROM read.positions WHERE projection = 'drivers' FOR UPDATE")
        yield holder


def written(fleet: Fleet, offset: int = 0) -> str:
    """What a command's answer would say of the last change."""
    row = fleet.connection.execute("SELECT log_id FROM log.identity").fetchone()
    assert row
    return f"{row[0]}:{fleet.position + offset}"


async def release_after(seconds: float, holder: psycopg.Connection) -> None:
    await asyncio.sleep(seconds)
    holder.rollback()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have queries wait as long as it takes, however slow the machine is."""
    monkeypatch.setattr("query_api.readers.Freshness", partial(Freshness, patience_seconds=PATIENCE_SECONDS))


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("carrier", ["header", "cookie"])
async def test_a_query_waits_for_a_slow_projection(
    client: httpx.AsyncClient, fleet: Fleet, database: Database, carrier: str
) -> None:
    with stopped_projection(database) as holder:
        fleet.register("driver", "EMP-1")
        position = written(fleet)
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


async def test_after_two_seconds_a_query_answers_what_there_is_and_says_so(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    etag = (await client.get(DRIVERS)).headers["etag"]
    with stopped_projection(database):
        fleet.register("driver", "EMP-1")
        headers = {"Fleetlog-Position": written(fleet)}
        began = time.monotonic()
        answers = await asyncio.gather(
            client.get(EMP_1, headers=headers),
            client.head(DRIVERS, headers=headers),
            client.get(DRIVERS, headers={**headers, "If-None-Match": etag}),
        )
        assert time.monotonic() - began > 1.95
    assert [answer.status_code for answer in answers] == [404, 200, 304]
    assert [answer.headers["fleetlog-consistency"] for answer in answers] == ["stale"] * 3


async def test_positions_that_mean_nothing_here_are_not_waited_for(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    with stopped_projection(database):
        fleet.register("driver", "EMP-1")
        other_log = "0" * 32 + ":1"
        for position in (other_log, written(fleet, 1), written(fleet, -1), "nonsense", ""):
            answer = await client.get(DRIVERS, headers={"Fleetlog-Position": position})
            assert answer.json() == {"content": []}
            assert "fleetlog-consistency" not in answer.headers  # as there would be after waiting


async def test_who_names_no_position_does_not_wait(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    with stopped_projection(database):
        fleet.register("driver", "EMP-1")
        answer = await client.get(DRIVERS)
    assert answer.json() == {"content": []}
    assert "fleetlog-consistency" not in answer.headers


@pytest.mark.usefixtures("patient")
async def test_the_larger_of_header_and_cookie_counts(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    for smaller, larger in (("Fleetlog-Position", "Cookie"), ("Cookie", "Fleetlog-Position")):
        await client.get(EMP_1, headers={"Fleetlog-Position": written(fleet)})
        with stopped_projection(database) as holder:
            fleet.change("driver", "EMP-1", city=larger)
            values = {smaller: written(fleet, -1), larger: written(fleet)}
            values["Cookie"] = f"fleetlog_position={values['Cookie']}"
            release = asyncio.create_task(release_after(0.2, holder))
            answer = await client.get(EMP_1, headers=values)
            await release
        assert answer.json()["driver_by_pk"]["city"] == larger


@pytest.mark.usefixtures("patient")
async def test_a_browser_that_has_just_written_never_reads_the_old_state(
    fleet: Fleet, client: httpx.AsyncClient, database: Database, issuer: TokenIssuer
) -> None:
    """Through both APIs, with nothing but the cookie that a browser keeps."""
    settings = ServiceSettings.model_validate(
        {
            "database": database.command,
            "issuer": issuer.issuer,
            "audience": issuer.audience,
            "jwks_url": issuer.jwks_url,
        }
    )
    async with serving(build_command_app(settings)) as commands:
        body = driver_body("EMP-1")
        with stopped_projection(database) as holder:
            release = asyncio.create_task(release_after(0.3, holder))
            posted = await client.post(f"{commands}{DRIVERS}", json=body)
            assert posted.status_code == 201
            read = await client.get(EMP_1)
            await release
        assert read.json() == posted.json()
        assert read.headers["etag"] == posted.headers["etag"]
        for number in range(20):
            put = await client.put(f"{commands}{EMP_1}", json={**body, "city": f"City {number}"})
            read = await client.get(EMP_1)
            listed = await client.get(DRIVERS)
            assert read.json()["driver_by_pk"]["city"] == f"City {number}"
            assert read.headers["etag"] == put.headers["etag"]
            assert listed.json()["content"] == [put.json()["driver_by_pk"]]
        assert (await client.delete(f"{commands}{EMP_1}")).status_code == 204
        assert (await client.get(EMP_1)).status_code == 404


def driver_body(entity_id: str) -> dict[str, str]:
    names = "name address_1 city country mobile_number_1 father_name passport_number driving_license_number"
    banking = "bank_account_number bank_name bank_address ifsc_code"
    return {
        "id": entity_id,
        **dict.fromkeys(f"{names} {banking}".split(), "given"),
        "email_address": "driver@example.com",
        "passport_expiry_date": "2031-03-31",
        "driving_license_expiry": "2029-08-14",
    }
