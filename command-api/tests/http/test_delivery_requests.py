"""Requests to the notifier, and who may make them."""

from typing import Any

import httpx
import psycopg
import pytest

from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

REQUESTS = "/api/v1/subscriptions/SUB-1/requests"


@pytest.fixture
def client(client_on_postgres: httpx.AsyncClient, module_database: Database) -> httpx.AsyncClient:
    """A client of a system with one subscription, and no requests."""
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        connection.execute("TRUNCATE notify.requests, read.subscriptions, read.revisions")
        columns = "position, entity, entity_id, version, type, moment, changes, public_event"
        connection.execute(
            f"INSERT INTO read.revisions ({columns})"  # noqa: S608 - constants
            " SELECT one, 'driver', 'EMP-1', one, '', timestamptz '2026-11-21 03:58Z' + one * interval '40s',"
            " '[]', '{}' FROM generate_series(1, 3) AS one"
        )
        connection.execute("INSERT INTO read.subscriptions VALUES ('SUB-1', 1, 1, '{}', '{}')")
    return client_on_postgres


def requests(database: Database) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.owner) as connection:
        return connection.execute(
            "SELECT id::text, subscription_id, kind, delivery, after, actor"
            " FROM notify.requests ORDER BY asked_at"
        ).fetchall()


async def test_requests_are_stored_for_the_notifier(
    client: httpx.AsyncClient, module_database: Database
) -> None:
    bodies: list[dict[str, Any]] = [
        {"kind": "test"},
        {"kind": "again", "delivery": 7},
        {"kind": "replay", "after": 0},
        {"kind": "replay", "since": "2026-11-21T09:30:00+05:30"},
        {"kind": "resume"},
    ]
    ids = []
    for body in bodies:
        answer = await client.post(REQUESTS, json=body)
        assert answer.status_code == 202, answer.text
        ids.append(answer.json()["id"])
    asked_by = {"sub": "dev|asha", "is_program": False}
    assert requests(module_database) == [
        (
            one,
            "SUB-1",
            body["kind"],
            body.get("delivery"),
            2 if "since" in body else body.get("after"),
            asked_by,
        )
        for one, body in zip(ids, bodies, strict=True)
    ]


async def test_a_retry_with_the_same_key_is_one_request(
    client: httpx.AsyncClient, module_database: Database
) -> None:
    once = {"Idempotency-Key": "once"}
    first = await client.post(REQUESTS, json={"kind": "test"}, headers=once)
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        connection.execute("UPDATE notify.requests SET is_done = true")
    again = await client.post(REQUESTS, json={"kind": "test"}, headers=once)
    assert (again.status_code, again.json()) == (202, first.json())
    other = await client.post(REQUESTS, json={"kind": "resume"}, headers=once)
    assert (other.status_code, other.json()["type"]) == (422, "urn:fleetlog:problem:idempotency-mismatch")
    assert len(requests(module_database)) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "kind"),
        ({"kind": ["test"]}, "kind"),
        ({"kind": "erase"}, "kind"),
        ({"kind": "test", "after": 1}, ""),
        ({"kind": "again"}, "delivery"),
        ({"kind": "replay", "after": -1}, "after"),
        ({"kind": "replay", "after": True}, "after"),
        ({"kind": "replay", "after": 1.5}, "after"),
        ({"kind": "replay", "after": 1, "since": "2026-11-21T04:00:00Z"}, ""),
        ({"kind": "replay", "since": "2026-11-21T04:00:00"}, "since"),
        ({"kind": "replay", "since": "0001-01-01T00:00:00+05:30"}, "since"),
        ({"kind": "replay", "since": 7}, "since"),
    ],
)
async def test_invalid_requests_are_refused(
    client: httpx.AsyncClient, module_database: Database, body: dict[str, Any], field: str
) -> None:
    answer = await client.post(REQUESTS, json=body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["validation_errors"]] == [field]
    assert requests(module_database) == []


async def test_unknown_subscriptions_and_floods_are_refused(
    client: httpx.AsyncClient, module_database: Database
) -> None:
    for name in ("SUB-2", "%00"):
        path = REQUESTS.replace("SUB-1", name)
        assert (await client.post(path, json={"kind": "test"})).status_code == 404
    answers = [await client.post(REQUESTS, json={"kind": "test"}) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [202] * 20 + [409]
    assert len(requests(module_database)) == 20
