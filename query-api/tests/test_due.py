"""Which documents of drivers are due: asked for over HTTP, found by an index, opened of those found alone."""

from collections.abc import AsyncIterator, Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final

import httpx
import psycopg
import pytest
from projections_testing.fleet import DETAILS, Fleet
from projections_testing.following import catch_up
from projections_testing.sealing_fleet import erase, local_keys, sealing_fleet
from query_api_testing.due_in_memory import DATES, due_page
from query_api_testing.fleet_in_memory import FleetInMemory

from ops.base.database.pools import Pool, connect, open_pool
from ops.base.encryption.ring import KEYS
from ops.base.records.json_values import json_bytes
from ops.testing.postgres import Database
from projections.entity_tables.searching import refill
from query_api.due.parameters import DOCUMENTS, DueParameters
from query_api.due.reading import DueDates
from query_api.due.statement import DRIVERS, due_statement

DUE: Final = "/api/v1/due-dates"
PASSPORT, LICENCE = "passport_expiry_date", "driving_license_expiry"
FAR: Final = {PASSPORT: "2090-01-01", LICENCE: "2090-01-01"}


def told(answer: httpx.Response) -> list[tuple[str, str, str]]:
    assert answer.status_code == 200, answer.text
    return [(one["driver"], one["document"], one["date"]) for one in answer.json()["content"]]


class TestAsked:
    """Of a fleet in memory."""

    @pytest.fixture
    def fleet(self, fleet_in_memory: FleetInMemory) -> FleetInMemory:
        fleet_in_memory.register("driver", "EMP-1", **{PASSPORT: "2026-12-01", LICENCE: "2026-10-01"})
        fleet_in_memory.register("driver", "EMP-2", **FAR)
        return fleet_in_memory

    @pytest.mark.usefixtures("fleet")
    async def test_it_says_who_with_what_by_when_and_how_to_reach_them(
        self, hasty_client: httpx.AsyncClient
    ) -> None:
        driver = {"driver": "EMP-1", "name": "Ravi Kumar", "mobile_number": "+91 98450 12345"}
        answer = await hasty_client.get(DUE, params={"until": "2026-12-01"})
        assert answer.json() == {
            "content": [
                {**driver, "document": "licence", "date": "2026-10-01"},
                {**driver, "document": "passport", "date": "2026-12-01"},
            ],
            "page": {"size": 100, "number": 0, "totalElements": 2, "totalPages": 1},
        }
        assert answer.headers["cache-control"] == "private, no-cache, no-transform"
        known = {"If-None-Match": answer.headers["etag"]}
        again = await hasty_client.get(DUE, params={"until": "2026-12-01"}, headers=known)
        assert (again.status_code, again.content) == (304, b"")

    @pytest.mark.usefixtures("fleet")
    @pytest.mark.parametrize(
        ("query", "errors"),
        [
            ("", {"until": "Must be given"}),
            ("?until=2026-02-30", {"until": "Must be a day as YYYY-MM-DD"}),
            ("?until=20260201", {"until": "Must be a day as YYYY-MM-DD"}),
            ("?until=2026-02-01&document=visa", {"document": "Must be one of licence, passport"}),
            ("?until=2026-02-01&size=501", {"size": "Must be a whole number from 1 to 500"}),
            (
                "?until=x&from=y&page=-1",
                {
                    "from": "Must be a day as YYYY-MM-DD",
                    "until": "Must be a day as YYYY-MM-DD",
                    "page": "Must be a whole number from 0 to 2147483647",
                },
            ),
        ],
    )
    async def test_what_is_asked_wrongly_is_told(
        self, hasty_client: httpx.AsyncClient, query: str, errors: dict[str, str]
    ) -> None:
        answer = await hasty_client.get(DUE + query)
        assert answer.status_code == 422
        assert {one["field"]: one["message"] for one in answer.json()["validation_errors"]} == errors

    async def test_who_looks_or_counts_is_recorded(
        self, hasty_client: httpx.AsyncClient, fleet: FleetInMemory
    ) -> None:
        counted = await hasty_client.get(DUE, params={"until": "2026-12-01", "page": 2**31 - 1, "size": 1})
        assert (counted.json()["content"], counted.json()["page"]["totalElements"]) == ([], 2)
        seen = await hasty_client.get(DUE, params={"until": "2026-12-01", "document": "licence"})
        views: Any = fleet.readers.views
        while len(views.recorded) < 2:  # a batch is written a moment later
            await hasty_client.get("/api/v1/me")
        count, one = views.recorded
        assert (count["request_id"], count["count"]) == (counted.headers["x-request-id"], 0)
        assert (one["request_id"], one["route"], one["kind"]) == (seen.headers["x-request-id"], DUE, "due")
        assert one["fields"] == ["name", "mobile_number_1", LICENCE, PASSPORT]
        assert (one["filter"], one["count"]) == ({"until": "2026-12-01", "document": "licence"}, 1)


DAYS: Final = ("1999-12-31", "2026-11-20", "2026-11-21", "2027-01-01")
QUESTIONS: Final = [
    DueParameters(since=since, until=until, document=document, page=page, size=size)
    for since in (None, "1999-12-31", "2026-11-20", "2030-01-01")
    for until in ("2026-11-20", "2026-11-21", "2027-01-01")
    for document in (None, *DOCUMENTS)
    for page, size in ((0, 500), (0, 3), (2, 3), (2**31 - 1, 1))
]


@pytest.fixture(scope="module")
async def pool(module_database: Database) -> AsyncIterator[Pool]:
    async with open_pool(module_database.query, size=1) as pool:
        yield pool


@pytest.fixture(scope="module")
def owner(module_database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        yield connection


async def project(projections: str) -> None:
    async with await connect(projections, autocommit=True) as connection:
        await catch_up(connection)


@pytest.mark.integration
async def test_the_database_says_what_a_few_lines_of_python_say(
    owner: psycopg.Connection, pool: Pool, module_database: Database
) -> None:
    fleet, drivers = Fleet(owner), []
    for number, (one, other) in enumerate(product(DAYS, DAYS)):
        dates = dict(zip(DATES, (one, other), strict=True))
        entity_id = f"{'aB'[number % 2]}-{number}"
        fleet.register("driver", entity_id, **dates)
        drivers.append({**DETAILS["driver"], "id": entity_id, **dates})
    await project(module_database.projections)
    due, etags = DueDates(pool), set()
    for asked in QUESTIONS:
        expected = due_page(drivers, asked)
        content = await due.page(asked)
        assert content.json == json_bytes(expected)
        assert content.count == len(expected["content"])
        assert (await due.page(asked, known_etags={content.etag})).json is None
        etags.add(content.etag)
    assert len(etags) == len(QUESTIONS)


@pytest.mark.integration
async def test_what_is_due_is_found_by_the_index(owner: psycopg.Connection, pool: Pool) -> None:
    """Where a field is added before them, keys move: then the index has to be made anew."""
    for document in DOCUMENTS:
        asked = DueParameters(since="2026-11-21", until="2026-12-21", document=document)
        statement, parameters = due_statement(asked, ())
        owner.execute("SET enable_seqscan = off")
        rows = owner.execute(b"EXPLAIN " + statement, parameters).fetchall()
        owner.execute("RESET enable_seqscan")
        assert f"drivers_search_{document}" in "\n".join(line for (line,) in rows)


@pytest.mark.integration
async def test_who_is_restricted_or_gone_is_not_called_on(fleet: Fleet, database: Database) -> None:
    for number in range(3):
        fleet.register("driver", f"EMP-{number}", **{**FAR, LICENCE: "2026-12-01"})
    await project(database.projections)
    fleet.restrict("driver", "EMP-0")
    fleet.remove("driver", "EMP-1")
    await project(database.projections)
    async with open_pool(database.query, size=1) as pool:
        content = await DueDates(pool).page(DueParameters(until="2030-01-01"))
    assert content.count == 1
    assert b'"driver":"EMP-2"' in (content.json or b"")


@pytest.mark.integration
async def test_sealed_drivers_are_opened_and_nobody_s_whose_key_is_gone(
    database: Database, fleet: Fleet, tmp_path: Path
) -> None:
    async with local_keys(tmp_path) as store, open_pool(database.query, size=1) as pool:
        fleet = await sealing_fleet(fleet.connection, store)
        for entity_id in ("EMP-1", "EMP-2"):
            fleet.register("driver", entity_id, name=f"Zubeida {entity_id}", **{**FAR, LICENCE: "2026-12-01"})
        await project(database.projections)
        asked = DueParameters(until="2030-01-01")
        content = (await DueDates(pool).page(asked)).json or b""
        assert (content.count(b"Zubeida"), content.count(b"+91")) == (2, 2)
        await erase(store, fleet, "driver:EMP-1")
        content = (await DueDates(pool).page(asked)).json or b""
        assert (content.count(b"Zubeida"), content.count(b"EMP-2")) == (1, 2)
        assert b"EMP-1" not in content
    assert not KEYS.seals


@pytest.mark.integration
async def test_while_the_search_is_built_again_that_is_said(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1", **{**FAR, LICENCE: "2026-12-01"})
    await project(database.projections)
    asked = {"until": "2026-12-01"}
    assert told(await client.get(DUE, params=asked)) == [("EMP-1", "licence", "2026-12-01")]
    fleet.connection.execute(f"TRUNCATE read.searches, read.{DRIVERS.search.name}")  # as a crash does
    answer = await client.get(DUE, params=asked)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    async with await connect(database.projections, autocommit=True) as connection:
        await refill(connection, DRIVERS)
    assert told(await client.get(DUE, params=asked)) == [("EMP-1", "licence", "2026-12-01")]
