"""Tests that need PostgreSQL: concurrency, stored outcomes, and restored logs."""

import asyncio

import httpx
import psycopg
import pytest
from command_api_testing.fleet import new_body, path_of, register, version_of

from ops.base.http.consistency import POSITION_HEADER
from ops.launcher.backups.acceptance import accept
from ops.testing.metrics import sample
from ops.testing.postgres import Database


@pytest.fixture(scope="module")
def client(client_on_postgres: httpx.AsyncClient) -> httpx.AsyncClient:
    return client_on_postgres


async def test_concurrent_changes_with_one_key_have_one_outcome(client: httpx.AsyncClient) -> None:
    address, record = await register(client, "trailer")
    other = {**record, "status": "MAINTENANCE"}
    for number in range(5):
        key = {"Idempotency-Key": f"together-{number}"}
        sent = [client.put(address, json=record, headers=key) for _ in range(8)]
        sent += [client.put(address, json=other) for _ in range(2)]
        answers = await asyncio.gather(*sent)
        assert len({answer.headers["etag"] for answer in answers[:8]}) == 1
        assert {answer.status_code for answer in answers} == {200}


async def test_an_append_and_its_commit_are_timed(client: httpx.AsyncClient) -> None:
    names = (
        "fleetlog_append_duration_seconds_count",
        "fleetlog_append_commit_duration_seconds_count",
        "fleetlog_append_batch_commands_sum",
    )
    before = [sample(name) for name in names]
    await register(client, "horse")
    assert [sample(name) for name in names] == [count + 1 for count in before]


async def test_etags_of_a_replaced_log_do_not_match(
    client_on_postgres: httpx.AsyncClient, module_database: Database
) -> None:
    client = client_on_postgres
    body = new_body("driver")
    made = await client.post(path_of("driver"), json=body)
    address = made.headers["location"]
    lost = (await client.put(address, json={**body, "city": "Lost"})).headers["etag"]
    log, _, position = made.headers[POSITION_HEADER].partition(":")

    with psycopg.connect(module_database.owner) as connection:  # as after a restore to just before the change
        connection.execute("DELETE FROM log.events WHERE notification_id > %s", [position])
    accept(module_database.owner, None, anyway=True)
    while (again := await client.put(address, json=body)).headers[POSITION_HEADER].startswith(log):
        pass
    assert (again.status_code, version_of(again)) == (200, 1)
    assert again.headers["etag"] != made.headers["etag"]
    found = await client.put(address, json={**body, "city": "Found"})
    assert version_of(found) == 2

    for tags in (lost, f'"77", {lost}', made.headers["etag"]):
        for method in ("PUT", "DELETE"):
            sent = {**body, "name": "X"} if method == "PUT" else None
            refused = await client.request(method, address, headers={"If-Match": tags}, json=sent)
            assert refused.status_code == 412
            assert refused.headers["etag"] == found.headers["etag"]
    problem = (await client.put(address, json=body, headers={"If-Match": lost})).json()
    assert problem["detail"].startswith("The data was restored from a backup")
    assert (problem["current_version"], problem["changed_since"]) == (2, [])

    for tag in (found.headers["etag"], '"3"', f'{lost}, "4"', "*"):  # versions of this log still match
        changed = await client.put(address, json={**body, "city": tag}, headers={"If-Match": tag})
        assert changed.status_code == 200
