"""A command with an idempotency key has one outcome, whatever happens before its retry."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from command_api_testing.fleet import CHANGES, ENTITIES, new_body, path_of, register, version_of

MISMATCH = "urn:fleetlog:problem:idempotency-mismatch"


@pytest.fixture(autouse=True)
async def _without_cookies(client: httpx.AsyncClient) -> AsyncIterator[None]:
    """Without cookies, answers have the command's own position."""

    async def forget(_: httpx.Response) -> None:
        client.cookies.clear()

    client.event_hooks = {"request": [], "response": [forget]}
    client.cookies.clear()
    yield
    client.event_hooks = {}


def reported(answer: httpx.Response) -> tuple[Any, ...]:
    """Return an answer without the request id, which differs."""
    body = answer.json() if answer.content else {}
    body.pop("request_id", None)
    names = ("etag", "location", "fleetlog-position")
    return answer.status_code, body, *(answer.headers.get(name) for name in names)


@pytest.mark.parametrize("entity", ENTITIES)
async def test_retry_of_a_change_without_effect_does_not_overwrite_later_changes(
    client: httpx.AsyncClient, entity: str
) -> None:
    address, a = await register(client, entity)
    b, key = {**a, **CHANGES[entity]}, {"Idempotency-Key": "changes-nothing"}
    first = await client.put(address, json=a, headers=key)
    await client.put(address, json=b)

    repeated = await client.put(address, json=a, headers=key)

    assert reported(repeated) == reported(first)
    assert (first.status_code, version_of(first)) == (200, 1)
    now = await client.put(address, json=b)
    assert version_of(now) == 2, "the later change is preserved"


async def test_retry_of_a_removal_does_not_remove_a_later_registration(
    client: httpx.AsyncClient,
) -> None:
    body = new_body("driver")
    address = f"{path_of('driver')}/{body['id']}"
    await client.post(path_of("driver"), json=body)
    await client.delete(address)
    key = {"Idempotency-Key": "removed-already"}
    first = await client.delete(address, headers=key)
    await client.post(path_of("driver"), json=body)

    repeated = await client.delete(address, headers=key)

    assert reported(repeated) == reported(first)
    assert first.status_code == 204
    assert (await client.put(address, json=body)).status_code == 200, "still registered"


async def test_retry_of_a_refusal_is_answered_as_the_first_time(client: httpx.AsyncClient) -> None:
    body = new_body("driver")
    address = f"{path_of('driver')}/{body['id']}"
    stale = {"Idempotency-Key": "stale", "If-Match": '"1"'}

    unknown = await client.put(address, json=body, headers={"Idempotency-Key": "unknown"})
    await client.post(path_of("driver"), json=body)
    in_use = await client.post(path_of("driver"), json=body, headers={"Idempotency-Key": "in-use"})
    await client.put(address, json={**body, "city": "Salem"})
    changed = await client.put(address, json={**body, "city": "Erode"}, headers=stale)
    no_version = await client.post(
        f"{address}/restore", json={"version": 3}, headers={"Idempotency-Key": "restore"}
    )
    await client.put(address, json={**body, "city": "Hosur"})
    await client.delete(address)

    statuses = [answer.status_code for answer in (unknown, in_use, changed, no_version)]
    assert statuses == [404, 409, 412, 422]
    assert [change["version"] for change in changed.json()["changed_since"]] == [2]
    again = [
        await client.put(address, json=body, headers={"Idempotency-Key": "unknown"}),
        await client.post(path_of("driver"), json=body, headers={"Idempotency-Key": "in-use"}),
        await client.put(address, json={**body, "city": "Erode"}, headers=stale),
        await client.post(f"{address}/restore", json={"version": 3}, headers={"Idempotency-Key": "restore"}),
    ]
    for answer, first in zip(again, (unknown, in_use, changed, no_version), strict=True):
        assert reported(answer) == reported(first)


@pytest.mark.parametrize(("action", "version"), [("restore", 1), ("undo", 2)])
async def test_repeated_restoration_or_undo_is_executed_once(
    client: httpx.AsyncClient, action: str, version: int
) -> None:
    address, record = await register(client, "horse")
    await client.put(address, json={**record, "owner": "Another"})
    key = {"Idempotency-Key": f"{action}{address}"}
    answers = [
        await client.post(f"{address}/{action}", json={"version": version}, headers=key) for _ in range(2)
    ]
    assert [(version_of(one), one.headers["fleetlog-version"]) for one in answers] == [(3, "3")] * 2
    other = await client.post(f"{address}/{action}", json={"version": version + 1}, headers=key)
    assert (other.status_code, other.json()["type"]) == (422, MISMATCH)
