"""Recorded views in PostgreSQL: recorded once, and shown to permitted users."""

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from query_api_testing.served import FollowedFleet, client_of, until, viewed

from ops.base.database.pools import Pool
from ops.base.encryption.key_cache import KEYS
from ops.base.settings import ServiceSettings
from ops.testing.conditions import wait_until
from ops.testing.http_servers import pages_of, serve
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.access_log.views import record_views
from query_api.app import build_app

DRIVERS = "/api/v1/drivers"
EMP_1 = f"{DRIVERS}/EMP-1"


@pytest.fixture
async def drivers(fleet: FollowedFleet) -> None:
    for name in ("EMP-1", "EMP-2"):
        fleet.register("driver", name)
    fleet.register("horse", "EMP-1")
    await fleet.catch_up()


def chain(database: Database) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.owner) as owner:
        return owner.execute("SELECT number, action, details FROM audit.accesses ORDER BY number").fetchall()


async def seen_by(client: httpx.AsyncClient, path: str, **parameters: Any) -> list[dict[str, Any]]:
    """Return all views, page by page."""
    pages = pages_of(client, f"{path}/seen-by", **parameters)
    return [view async for page in pages for view in page.json()["content"]]


async def test_viewers_include_lists_that_may_have_shown_the_record(
    client: httpx.AsyncClient, drivers: None, database: Database
) -> None:
    shown = [
        await client.get(path)
        for path in (
            EMP_1,
            f"{DRIVERS}/EMP-2",
            "/api/v1/horses/EMP-1",
            f"{DRIVERS}?page=0&size=1&sort=name,desc&q=Ravi",
            "/api/v1/horses",
            f"{EMP_1}/history?limit=5",
            f"{EMP_1}?version=1",
            "/api/v1/audit?entity=driver&id=EMP-2",
            "/api/v1/audit?id=EMP-1&q=ravi",
            "/api/v1/audit?entity=horse",
            "/api/v1/audit?format=csv&reveal=true&entity=driver",
        )
    ]
    assert {answer.status_code for answer in shown} == {200}
    await wait_until(lambda: viewed(database) == len(shown) - 1)

    views = await seen_by(client, EMP_1)
    concerned = [0, 3, 5, 6, 8]
    by_request = {view["request_id"]: view for view in views}
    export = shown[-1].headers["x-request-id"]
    assert by_request.keys() == {*(shown[at].headers["x-request-id"] for at in concerned), export}
    single, page, history, past, audit = (by_request[shown[at].headers["x-request-id"]] for at in concerned)
    assert single["actor"] == {"sub": "dev|asha", "name": "Asha Menon"}
    form = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"
    assert all(re.fullmatch(form, view["moment"]) for view in views)
    assert (single["kind"], single["route"], single["filter"]) == ("record", f"{DRIVERS}/{{entity_id}}", None)
    assert "passport_number" in single["fields"]
    assert "id" not in single["fields"]
    assert (page["kind"], page["count"]) == ("list", 1)
    assert page["filter"] == {"page": 0, "size": 1, "sort": "name,desc", "q": "Ravi"}
    assert (history["kind"], history["filter"], history["count"]) == ("history", {"limit": 5}, 1)
    assert {*single["fields"], "actor.name", "reason", "client_request_id"} == {*history["fields"]}
    assert (past["kind"], past["filter"]) == ("record", {"version": 1})
    assert (audit["kind"], audit["filter"]) == ("audit", {"id": "EMP-1", "q": "ravi"})
    assert by_request[export]["kind"] == "export"
    assert by_request[export]["filter"] == {"format": "csv", "entity": "driver"}


async def test_viewers_are_paged_in_both_directions(
    client: httpx.AsyncClient, drivers: None, database: Database
) -> None:
    for round_ in range(3):  # batches of three
        await asyncio.gather(*(client.get(EMP_1) for _ in range(3)))
        await wait_until(lambda round_=round_: viewed(database) == 3 * (round_ + 1))  # type: ignore[misc]
    numbers = [view["number"] for view in await seen_by(client, EMP_1)]
    assert len(numbers) == 9
    assert numbers == sorted(set(numbers))
    for limit in (2, 4):
        for order, expected in (("asc", numbers), ("desc", numbers[::-1])):
            found = await seen_by(client, EMP_1, limit=limit, order=order)  # recorded, too
            assert [view["number"] for view in found if view["kind"] == "record"] == expected


async def test_searches_that_found_nobody_are_not_among_the_viewers(
    client: httpx.AsyncClient, drivers: None, database: Database
) -> None:
    unmatched = f"{DRIVERS}?page=0&size=5&q=unknown"
    for path in (EMP_1, unmatched, unmatched, unmatched, DRIVERS, unmatched):
        before = viewed(database)
        await client.get(path)
        await wait_until(lambda before=before: viewed(database) == before + 1)  # type: ignore[misc]
    views = await seen_by(client, EMP_1, limit=1)
    assert [view["kind"] for view in views if view["kind"] != "seen-by"] == ["record", "list"]
    every = (await client.get("/api/v1/access-log?show=views")).json()["content"]
    assert [view["details"]["count"] for view in every].count(0) == 4


async def test_reading_the_viewers_is_recorded(client: httpx.AsyncClient, drivers: None) -> None:
    asked = await client.get(f"{EMP_1}/seen-by?order=desc")
    assert asked.json() == {"content": [], "next": None}
    answer = await until(client, f"{EMP_1}/seen-by?limit=1", lambda answer: answer.json()["content"] != [])
    (view,) = answer.json()["content"]
    assert (view["kind"], view["request_id"]) == ("seen-by", asked.headers["x-request-id"])
    assert (view["filter"], view["count"]) == ({"order": "desc"}, 0)


async def test_viewers_are_masked_without_personal_read(
    client: httpx.AsyncClient, drivers: None, database: Database, issuer: TokenIssuer
) -> None:
    await client.get(f"{DRIVERS}?q=Ravi")
    await wait_until(lambda: viewed(database) == 1)
    masked = {"Authorization": f"Bearer {issuer.token(permissions=['access-log:read'])}"}
    (view,) = (await client.get(f"{EMP_1}/seen-by", headers=masked)).json()["content"]
    assert view["actor"] == {"sub": "dev|asha", "name": None}
    assert (view["filter"], view["masked"]) == (None, ["actor.name", "filter"])
    assert (await client.get(f"{DRIVERS}/EMP-9/seen-by")).status_code == 404


async def test_access_log_lists_views_only_on_request(
    client: httpx.AsyncClient, drivers: None, database: Database
) -> None:
    await client.get("/api/v1/audit?format=csv&reveal=true")
    seen = await client.get(EMP_1)
    await wait_until(lambda: viewed(database) == 1)
    reveals = (await client.get("/api/v1/access-log")).json()["content"]
    assert [access["action"] for access in reveals] == ["audit-export-revealed"]
    views = (await client.get("/api/v1/access-log?show=views&limit=1")).json()
    (view,) = views["content"]
    assert (view["action"], view["request_id"]) == ("view", seen.headers["x-request-id"])
    assert (view["details"]["entity"], view["details"]["id"]) == ("driver", "EMP-1")
    assert {"number", "moment", "actor", "request_id", "action", "details"} == view.keys()


async def test_retried_batch_is_recorded_once(database: Database) -> None:
    async with Pool(database.query, size=1) as pool:
        batch, text = uuid.uuid4(), b'{"subjects":["driver"],"who":[],"what":[],"views":[]}'
        for _ in range(3):
            await record_views(pool, batch, text)
    assert [(number, action) for number, action, _ in chain(database)] == [(1, "views")]


async def test_two_query_apis_record_into_one_log(
    database: Database,
    drivers: None,
    settings_with: Callable[..., ServiceSettings],
    issuer: TokenIssuer,
) -> None:
    async with AsyncExitStack() as opened:
        clients = []
        for _ in range(2):
            app = build_app(settings_with(database=database.query))
            origin = await opened.enter_async_context(serve(app))
            clients.append(await opened.enter_async_context(client_of(origin, issuer)))
        answers = await asyncio.gather(*(client.get(EMP_1) for client in clients for _ in range(40)))
    # A stopped API has recorded everything.
    requests = [view[4] for _, _, details in chain(database) for view in details["views"]]
    assert sorted(requests) == sorted(answer.headers["x-request-id"] for answer in answers)
    numbers = [number for number, _, _ in chain(database)]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.fixture
async def held_up(database: Database) -> AsyncIterator[psycopg.AsyncConnection]:
    """Nothing can be recorded while the access log is locked."""
    async with await psycopg.AsyncConnection.connect(database.owner) as locking:
        await locking.execute("LOCK TABLE audit.accesses IN SHARE ROW EXCLUSIVE MODE")
        yield locking


async def test_views_are_recorded_after_an_outage(
    client: httpx.AsyncClient, drivers: None, database: Database, held_up: psycopg.AsyncConnection
) -> None:
    seen = [await client.get(EMP_1) for _ in range(3)]
    assert {answer.status_code for answer in seen} == {200}
    assert viewed(database) == 0
    # Its statement is ended, as by a server that starts again.
    with psycopg.connect(database.owner, autocommit=True) as owner:
        await wait_until(lambda: end_waiting(owner))
    await held_up.rollback()
    await wait_until(lambda: viewed(database) == 3)


def end_waiting(owner: psycopg.Connection) -> bool:
    """End the sessions that wait for a lock on the access log."""
    waiting = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted"
    return bool(owner.execute(waiting).fetchall())


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnKeyStore:
    """The key store of the query API that comes after."""
    monkeypatch.setenv("FLEETLOG_KEYS", str(tmp_path))
    return OwnKeyStore.in_folder(tmp_path)


async def test_recorded_search_is_encrypted_and_erasable(
    store: OwnKeyStore, client: httpx.AsyncClient, drivers: None, database: Database
) -> None:
    for asked in (
        f"{DRIVERS}?page=0&size=1&q=Unmistakable",
        "/api/v1/audit?id=EMP-1&q=Unmistakable",
        "/api/v1/audit?format=csv&reveal=true&q=Unmistakable",
    ):
        answer = await client.get(asked)
        assert answer.status_code == 200, answer.text
    await wait_until(lambda: viewed(database) == 2)
    written = str(chain(database))
    assert "Unmistakable" not in written

    async def searched() -> list[str | None]:
        of_record = [view["filter"]["q"] for view in await seen_by(client, EMP_1)]
        (export,) = (await client.get("/api/v1/access-log")).json()["content"]
        return [*of_record, export["details"]["filter"]["q"]]

    assert await searched() == ["Unmistakable"] * 3
    await store.erase(re.findall(r"'key': '([^']+)'", written))
    KEYS.clear()
    assert await searched() == [None] * 3
