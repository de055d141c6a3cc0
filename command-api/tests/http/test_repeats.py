"""A command with an idempotency key has one outcome, whatever others do before it is sent again."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from command_api_testing.fleet import ENTITIES, new_body, path_of, unwrap, version_of

MISMATCH = "urn:fleetlog:problem:idempotency-mismatch"
CHANGES: dict[str, dict[str, Any]] = {
    "driver": {"city": "Mysuru"},
    "trailer": {"status": "MAINTENANCE"},
    "horse": {"owner": "Another"},
    "location": {"name": "Another"},
}


async def registered(client: httpx.AsyncClient, entity: str) -> tuple[str, dict[str, Any]]:
    answer = await client.post(path_of(entity), json=new_body(entity))
    return answer.headers["location"], unwrap(entity, answer.json())


@pytest.fixture(autouse=True)
async def _without_cookies(client: httpx.AsyncClient) -> AsyncIterator[None]:
    """A cookie tells a later position than an answer would otherwise name."""

    async def forget(_: httpx.Response) -> None:
        client.cookies.clear()

    client.event_hooks = {"request": [], "response": [forget]}
    client.cookies.clear()
    yield
    client.event_hooks = {}


def reported(answer: httpx.Response) -> tuple[Any, ...]:
    """What a client learns from an answer; only the request's id is another one each time."""
    body = answer.json() if answer.content else {}
    body.pop("request_id", None)
    names = ("etag", "location", "fleetlog-position")
    return answer.status_code, body, *(answer.headers.get(name) for name in names)


@pytest.mark.parametrize("entity", ENTITIES)
async def test_a_repeat_of_what_changed_nothing_does_not_overwrite_what_others_set_since(
    client: httpx.AsyncClient, entity: str
) -> None:
    address, a = await registered(client, entity)
    b, key = {**a, **CHANGES[entity]}, {"Idempotency-Key": "changes-nothing"}
    first = await client.put(address, json=a, headers=key)
    await client.put(address, json=b)

    repeated = await client.put(address, json=a, headers=key)

    assert reported(repeated) == reported(first)
    assert (first.status_code, version_of(first)) == (200, 1)
    now = await client.put(address, json=b)
    assert version_of(now) == 2, "what was set since is still there"


async def test_a_key_of_what_changed_nothing_or_was_refused_is_no_other_commands(
    client: httpx.AsyncClient,
) -> None:
    address, record = await registered(client, "horse")
    unknown = f"{path_of('horse')}/NOBODY"
    for number, (target, extra) in enumerate([(address, {}), (unknown, {}), (address, {"If-Match": '"7"'})]):
        headers = {"Idempotency-Key": f"first-use-{number}", **extra}
        await client.put(target, json={**record, "id": target.rpartition("/")[2]}, headers=headers)
        other = await client.put(target, json=new_body("horse", owner="Another"), headers=headers)
        removal = await client.delete(target, headers=headers)
        assert {other.json()["type"], removal.json()["type"]} == {MISMATCH}
    assert version_of(await client.put(address, json=record)) == 1


async def test_a_repeated_removal_does_not_remove_what_was_registered_since(
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
    assert (await client.put(address, json=body)).status_code == 200, "it is there"


async def test_a_refusal_is_repeated_as_it_was_answered(client: httpx.AsyncClient) -> None:
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
