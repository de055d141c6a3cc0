"""Answers to commands show what the caller has sent; more needs `fleet:read`, and is recorded."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from functools import partial
from uuid import uuid4

import httpx
import psycopg
import pytest
from command_api_testing import fleet
from command_api_testing.fleet import CHANGES, ENTITIES, new_body, path_of, unwrap, version_of
from command_api_testing.log_in_memory import LogInMemory
from fastapi import FastAPI

from command_api.app import build_app
from command_api.domain.catalogue import DEFINITIONS
from ops.base.access_log.recorder import MOST_ENTRIES
from ops.base.permissions import Permission
from ops.base.settings import ServiceSettings
from ops.testing.conditions import wait_until
from ops.testing.http_servers import serve
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer

VIEWS = "SELECT view ->> 4 FROM audit.accesses, json_array_elements(details -> 'views') AS view"
ClientOf = Callable[..., httpx.AsyncClient]


@pytest.fixture
def app(log: LogInMemory, settings_with: Callable[..., ServiceSettings]) -> FastAPI:
    log.views.clear()
    return build_app(settings_with(), log)


@pytest.fixture
async def client_of(app: FastAPI, issuer: TokenIssuer) -> AsyncIterator[ClientOf]:
    """Returns clients with the given claims."""
    async with AsyncExitStack() as opened:
        origin = await opened.enter_async_context(serve(app))

        yield partial(fleet.client_of, origin, issuer)


def personal(entity: str) -> list[str]:
    return sorted(DEFINITIONS[entity].personal)


async def recorded(app: FastAPI, log: LogInMemory) -> list[tuple[str, str, list[str]]]:
    """Return request, id and fields of all views, once they are recorded."""
    await wait_until(lambda: app.state.views.waiting == 0)
    assert {view["kind"] for view in log.views} <= {"change"}
    return [(view["request_id"], view["id"], view["fields"]) for view in log.views]


def request_of(answer: httpx.Response) -> str:
    return str(answer.headers["x-request-id"])


@pytest.mark.parametrize("entity", ENTITIES)
async def test_only_values_that_the_caller_has_not_sent_are_recorded(
    client_of: ClientOf, app: FastAPI, log: LogInMemory, entity: str
) -> None:
    async with client_of() as client:
        made = await client.post(path_of(entity), json=new_body(entity), headers={"Idempotency-Key": "made"})
        address, body = made.headers["location"], unwrap(entity, made.json())
        changed = await client.put(address, json={**body, **CHANGES[entity]})
        assert version_of(changed) == 2
        assert await recorded(app, log) == []
        shown = [
            await client.put(address, json={**body, **CHANGES[entity]}),
            await client.post(f"{address}/undo", json={"version": 2, "keep": list(CHANGES[entity])}),
            await client.post(f"{address}/undo", json={"version": 2}, headers={"Idempotency-Key": "undone"}),
            await client.post(f"{address}/undo", json={"version": 2}, headers={"Idempotency-Key": "undone"}),
            await client.post(f"{address}/restore", json={"version": 3}),
            await client.post(f"{address}/restore", json={"version": 2}),
        ]
    assert [version_of(answer) for answer in shown] == [2, 2, 3, 3, 3, 4]
    whole = [(request_of(one), body["id"], personal(entity)) for one in shown]
    assert await recorded(app, log) == (whole if personal(entity) else [])


async def test_retry_with_more_permissions_is_recorded(
    client_of: ClientOf, app: FastAPI, log: LogInMemory
) -> None:
    few = [one for one in Permission if one != Permission.PERSONAL_READ]
    async with client_of() as client, client_of(permissions=few) as masked:
        address = (await client.post(path_of("horse"), json=new_body("horse"))).headers["location"]
        body = {"chassis_number": "A", "engine_number": "B", "identifier": "C"}
        for each in (masked, client):
            answer = await each.put(address, json=body, headers={"Idempotency-Key": address})
        assert answer.json()["owner"] == new_body("horse")["owner"]
        assert await recorded(app, log) == [
            (request_of(answer), address.rpartition("/")[2], personal("horse"))
        ]


async def test_answers_without_fleet_read_show_the_version_only(
    client_of: ClientOf, app: FastAPI, log: LogInMemory
) -> None:
    few = [one for one in Permission if one != Permission.FLEET_READ]
    async with client_of(permissions=few) as client:
        made = await client.post(path_of("driver"), json=new_body("driver"))
        address, body = made.headers["location"], unwrap("driver", made.json())
        await client.put(address, json={**body, "city": "Mysuru"})
        for ending, version in (("undo", 2), ("restore", 2), ("restore", 4)):
            answer = await client.post(f"{address}/{ending}", json={"version": version})
            assert (answer.status_code, answer.content) == (204, b"")
            assert answer.headers["etag"].count("-") == 1, "the tag of a record is made of its values"
        assert version_of(answer) == 4
        stale = await client.put(address, json=body, headers={"If-Match": '"1"'})
        assert (stale.status_code, stale.json()["current_version"]) == (412, 4)
        assert (stale.json()["changed_since"], stale.json()["changes_left_out"]) == ([], 3)
    assert await recorded(app, log) == []


@pytest.mark.usefixtures("known_actors")
async def test_shown_actor_names_are_recorded(client_of: ClientOf, app: FastAPI, log: LogInMemory) -> None:
    async with client_of() as client:
        made = await client.post(path_of("location"), json=new_body("location"))
        address, body = made.headers["location"], made.json()["location_by_pk"]
        await client.put(address, json={**body, "name": "Another"})
        stale = await client.put(address, json=body, headers={"If-Match": '"1"'})
    assert stale.json()["changed_since"][0]["actor"]["name"] == "Asha Menon"
    assert await recorded(app, log) == [(request_of(stale), body["id"], ["actor.name"])]


@pytest.mark.parametrize("dry_run", [True, False])
async def test_rows_that_compare_personal_values_are_recorded(
    client_of: ClientOf, app: FastAPI, log: LogInMemory, *, dry_run: bool
) -> None:
    async with client_of() as client:
        made = await client.post(path_of("horse"), json=new_body("horse"))
        one = {"do": "change", "id": made.json()["id"]}
        rows = [
            {"key": "1", **one, "values": {"owner": made.json()["owner"], "hired": made.json()["hired"]}},
            {"key": "2", **one, "values": {"hired": "Later"}},
            {"key": "3", **one, "values": {"owner": "Guessed"}},
            {"key": "4", "do": "save", "values": new_body("horse")},
        ]
        found = []
        for row in rows:
            body = {"batch": str(uuid4()), "dry_run": dry_run, "rows": [row]}
            answer = await client.post("/api/v1/batches/horses", json=body)
            found.append((request_of(answer), answer.json()["rows"][0]["outcome"]))
    assert [outcome for _, outcome in found] == ["unchanged", "changed", "changed", "new"]
    compared = [found[0], *([found[2]] if dry_run else [])]
    assert await recorded(app, log) == [(request, one["id"], ["owner"]) for request, _ in compared]


@pytest.mark.usefixtures("known_actors")
async def test_command_succeeds_without_body_if_the_view_cannot_be_recorded(
    client_of: ClientOf, app: FastAPI, log: LogInMemory
) -> None:
    async with client_of() as client:
        made = await client.post(path_of("horse"), json=new_body("horse"))
        address, body = made.headers["location"], made.json()
        await client.put(address, json={**body, "owner": "Another"})
        app.state.views._most_entries = 0
        undone = await client.post(f"{address}/undo", json={"version": 2})
        assert (undone.status_code, undone.content, version_of(undone)) == (204, b"", 3)
        stale = await client.put(address, json=body, headers={"If-Match": '"1"'})
        assert (stale.status_code, stale.json()["changed_since"]) == (412, [])
        row = {"key": "1", "do": "change", "id": body["id"], "values": {"owner": body["owner"]}}
        batch = {"batch": str(uuid4()), "dry_run": True, "rows": [row]}
        answer = await client.post("/api/v1/batches/horses", json=batch)
        assert answer.json()["rows"][0]["outcome"] == "unconfirmed"
        changed = await client.put(address, json={**body, "owner": "A third"})
        assert (changed.status_code, changed.json()["owner"]) == (200, "A third")
        app.state.views._most_entries = MOST_ENTRIES
        shown = await client.put(address, json={**body, "owner": "A third"})
    assert await recorded(app, log) == [(request_of(shown), body["id"], personal("horse"))]


async def test_a_view_is_recorded_in_postgresql(
    client_on_postgres: httpx.AsyncClient, module_database: Database
) -> None:
    made = await client_on_postgres.post(path_of("driver"), json=new_body("driver"))
    shown = await client_on_postgres.post(f"{made.headers['location']}/restore", json={"version": 1})
    assert shown.status_code == 200
    with psycopg.connect(module_database.owner, autocommit=True) as owner:
        await wait_until(lambda: owner.execute(VIEWS).fetchall() == [(request_of(shown),)])
