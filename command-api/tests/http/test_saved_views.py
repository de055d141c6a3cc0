"""Saved views of lists: private, encrypted, and not part of the log."""

import uuid
from typing import Any

import httpx
import psycopg
import pytest

from ops.base.records.saved_views import LONGEST_NAME, LONGEST_QUERY, MOST_VIEWS
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer

VIEWS = "/api/v1/views"
VIEW = {"list": "drivers", "name": "Ends soon", "query": "licenseValidUpTo=30&sort=-name"}


@pytest.fixture
def client(client_on_postgres: httpx.AsyncClient, module_database: Database) -> httpx.AsyncClient:
    """A client of a system without saved views."""
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        connection.execute("TRUNCATE preferences.views, preferences.former_keys")
    return client_on_postgres


def kept(database: Database) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.owner) as connection:
        return connection.execute(
            "SELECT sub, id::text, list FROM preferences.views ORDER BY sub, id"
        ).fetchall()


def address_of(view_id: object = None) -> str:
    return f"{VIEWS}/{view_id or uuid.uuid4()}"


async def test_view_is_saved_and_replaced_without_an_event(
    client: httpx.AsyncClient, module_database: Database
) -> None:
    view_id = str(uuid.uuid4())
    first = await client.put(address_of(view_id), json=VIEW)
    assert first.status_code == 200, first.text
    view = first.json()
    assert view == {**VIEW, "id": view_id, "changed_at": view["changed_at"]}
    assert first.headers["cache-control"] == "no-store"
    assert "fleetlog-position" not in first.headers
    again = await client.put(address_of(view_id), json={**VIEW, "name": "  Renamed "})
    assert (again.status_code, again.json()["name"]) == (200, "Renamed")
    assert kept(module_database) == [("dev|asha", view_id, "drivers")]


async def test_views_are_private_to_each_user(
    client: httpx.AsyncClient, module_database: Database, issuer: TokenIssuer
) -> None:
    view_id = str(uuid.uuid4())
    other = {"Authorization": f"Bearer {issuer.token(sub='dev|omar', permissions=[])}"}
    assert (await client.put(address_of(view_id), json=VIEW)).status_code == 200
    answer = await client.put(address_of(view_id), json={**VIEW, "name": "Mine"}, headers=other)
    assert answer.status_code == 200
    assert [row[:2] for row in kept(module_database)] == [("dev|asha", view_id), ("dev|omar", view_id)]
    assert (await client.delete(address_of(view_id), headers=other)).status_code == 204
    assert kept(module_database) == [("dev|asha", view_id, "drivers")]
    stranger = await client.put(address_of(view_id), json=VIEW, headers={"Authorization": ""})
    assert stranger.status_code == 401


async def test_deletion_of_a_view_is_idempotent(client: httpx.AsyncClient, module_database: Database) -> None:
    view_id = str(uuid.uuid4())
    await client.put(address_of(view_id), json=VIEW)
    assert [(await client.delete(address_of(view_id))).status_code for _ in range(2)] == [204, 204]
    assert kept(module_database) == []


async def test_number_of_views_of_a_list_is_limited(
    client: httpx.AsyncClient, module_database: Database
) -> None:
    ids = [uuid.uuid4() for _ in range(MOST_VIEWS)]
    for view_id in ids:
        assert (await client.put(address_of(view_id), json=VIEW)).status_code == 200
    more = await client.put(address_of(), json=VIEW)
    assert (more.status_code, more.json()["type"]) == (409, "urn:fleetlog:problem:too-many-views")
    assert (await client.put(address_of(ids[0]), json=VIEW)).status_code == 200
    assert (await client.put(address_of(), json={**VIEW, "list": "horses"})).status_code == 200
    assert len(kept(module_database)) == MOST_VIEWS + 1


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["list", "name", "query"]),
        ({**VIEW, "list": "Drivers!"}, ["list"]),
        ({**VIEW, "name": "   "}, ["name"]),
        ({**VIEW, "name": "x" * (LONGEST_NAME + 1)}, ["name"]),
        ({**VIEW, "name": "two\nlines"}, ["name"]),
        ({**VIEW, "name": 7}, ["name"]),
        ({**VIEW, "query": "q=" + "x" * LONGEST_QUERY}, ["query"]),
        ({**VIEW, "query": "q=a b#fragment"}, ["query"]),
        ({**VIEW, "owner": "dev|omar"}, [""]),
    ],
)
async def test_invalid_view_is_refused(
    client: httpx.AsyncClient, module_database: Database, body: dict[str, Any], fields: list[str]
) -> None:
    answer = await client.put(address_of(), json=body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["validation_errors"]] == fields
    assert kept(module_database) == []


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_view_with_an_invalid_id_is_not_found(client: httpx.AsyncClient, method: str) -> None:
    answer = await client.request(method, f"{VIEWS}/not-a-uuid", json=VIEW if method == "PUT" else None)
    assert answer.status_code == 404
