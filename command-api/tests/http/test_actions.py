"""Requests of tasks of the workers, and their record in the access log."""

from typing import Any

import httpx
import psycopg
import pytest

from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer

ACTIONS = "/api/v1/system/actions"
REBUILD = {"kind": "rebuild", "target": "drivers"}


@pytest.fixture
def client(client_on_postgres: httpx.AsyncClient, module_database: Database) -> httpx.AsyncClient:
    """A client of a system without tasks."""
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        connection.execute("TRUNCATE operations.actions, audit.accesses")
    return client_on_postgres


def accesses(database: Database) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.owner) as connection:
        return connection.execute(
            "SELECT access_id::text, actor_sub, request_id, action, details"
            " FROM audit.accesses ORDER BY number"
        ).fetchall()


async def test_task_is_requested_and_recorded(
    client: httpx.AsyncClient, module_database: Database, issuer: TokenIssuer
) -> None:
    answer = await client.post(ACTIONS, json=REBUILD)
    assert answer.status_code == 202, answer.text
    assert answer.headers["cache-control"] == "no-store"
    task = answer.json()
    asked_by = task["asked_by"]
    assert task == {
        **REBUILD,
        "id": task["id"],
        "asked_at": task["asked_at"],
        "asked_by": asked_by,
        "state": "asked",
        "done": None,
        "total": None,
        "words": None,
    }
    assert accesses(module_database) == [
        (task["id"], asked_by, answer.headers["x-request-id"], "system-rebuild", {"target": "drivers"})
    ]


async def test_running_task_is_not_requested_again(
    client: httpx.AsyncClient, module_database: Database
) -> None:
    assert (await client.post(ACTIONS, json=REBUILD)).status_code == 202
    again = await client.post(ACTIONS, json=REBUILD)
    assert again.status_code == 409
    assert again.json()["type"] == "urn:fleetlog:problem:action-running"
    assert (await client.post(ACTIONS, json={**REBUILD, "target": "horses"})).status_code == 202
    assert (await client.post(ACTIONS, json={"kind": "verify"})).status_code == 202
    assert (await client.post(ACTIONS, json={"kind": "verify", "target": None})).status_code == 409
    assert len(accesses(module_database)) == 3
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        connection.execute("UPDATE operations.actions SET state = 'done'")
    assert (await client.post(ACTIONS, json=REBUILD)).status_code == 202


async def test_repeated_request_with_its_key_returns_the_same_task(
    client: httpx.AsyncClient, module_database: Database
) -> None:
    first = await client.post(ACTIONS, json=REBUILD, headers={"Idempotency-Key": "once"})
    again = await client.post(ACTIONS, json=REBUILD, headers={"Idempotency-Key": "once"})
    assert (again.status_code, again.json()) == (202, first.json())
    assert len(accesses(module_database)) == 1
    other = await client.post(ACTIONS, json={"kind": "verify"}, headers={"Idempotency-Key": "once"})
    assert (other.status_code, other.json()["type"]) == (422, "urn:fleetlog:problem:idempotency-mismatch")
    malformed = await client.post(ACTIONS, json=REBUILD, headers={"Idempotency-Key": "not one"})
    assert malformed.status_code == 400


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["kind"]),
        ({"kind": "explode"}, ["kind"]),
        ({"kind": ["retry"]}, ["kind"]),
        ({"kind": "retry", "target": "cars"}, ["target"]),
        ({"kind": "retry", "target": {"drivers": 1}}, ["target"]),
        ({"kind": "verify", "target": "drivers"}, ["target"]),
        ({"kind": "verify", "secret-name": 1}, [""]),
    ],
)
async def test_invalid_task_is_refused(
    client: httpx.AsyncClient, module_database: Database, body: dict[str, Any], fields: list[str]
) -> None:
    answer = await client.post(ACTIONS, json=body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["validation_errors"]] == fields
    assert not any(word in answer.text for word in ("explode", "cars", "secret-name"))
    assert accesses(module_database) == []
