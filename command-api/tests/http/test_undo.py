"""POST to `undo`: one change is reverted, later changes stay."""

from typing import Any

import httpx
import pytest
from command_api_testing.fleet import CHANGED, ENTITIES, register, unwrap, version_of, without_times


async def undo(client: httpx.AsyncClient, address: str, version: int, **more: Any) -> httpx.Response:
    headers = {"If-Match": more.pop("if_match")} if "if_match" in more else {}
    return await client.post(f"{address}/undo", json={"version": version, **more}, headers=headers)


def made(answer: httpx.Response) -> int | None:
    version = answer.headers.get("fleetlog-version")
    return None if version is None else int(version)


@pytest.mark.parametrize("entity", ENTITIES)
async def test_change_and_its_undo_can_be_undone(client: httpx.AsyncClient, entity: str) -> None:
    address, record = await register(client, entity)
    changed = await client.put(address, json={**record, **CHANGED[entity]})
    undone = await undo(client, address, 2)
    assert (undone.status_code, version_of(undone), made(undone)) == (200, 3, 3), undone.text
    assert without_times(unwrap(entity, undone.json())) == without_times(record)
    again = await undo(client, address, 2)
    assert (again.status_code, version_of(again), made(again)) == (200, 3, None)  # unchanged
    redone = await undo(client, address, 3)
    assert (made(redone), without_times(unwrap(entity, redone.json()))) == (
        4,
        without_times(unwrap(entity, changed.json())),
    )


@pytest.mark.parametrize("entity", ENTITIES)
async def test_removal_and_registration_are_undone(client: httpx.AsyncClient, entity: str) -> None:
    address, record = await register(client, entity)
    removed = await client.delete(address)
    assert made(removed) == 2
    assert made(await client.delete(address)) is None  # removed already
    back = await undo(client, address, 2)
    assert (back.status_code, made(back)) == (200, 3)
    assert without_times(unwrap(entity, back.json())) == without_times(record)
    gone = await undo(client, address, 1)
    assert (gone.status_code, made(gone), gone.content) == (204, 4, b"")
    assert version_of(gone) == 4
    assert (await client.put(address, json=record)).status_code == 404


async def test_members_of_a_free_form_object_are_undone_separately(client: httpx.AsyncClient) -> None:
    address, record = await register(client, "trailer")
    data = {"currentLocation": "Hosur", "a": 1}
    await client.put(address, json={**record, "data": data})  # 2
    await client.put(address, json={**record, "data": {**data, "currentLocation": "Salem", "b": None}})  # 3
    undone = unwrap("trailer", (await undo(client, address, 2, keep=["data.currentLocation"])).json())
    before = {name: value for name, value in (record["data"] or {}).items() if name != "currentLocation"}
    assert undone["data"] == {**before, "currentLocation": "Salem", "b": None}
    await client.put(address, json={**record, "data": None})  # 5
    await client.put(address, json={**record, "data": {"a": 1}})  # 6
    assert unwrap("trailer", (await undo(client, address, 6)).json())["data"] is None


async def test_undo_of_fields_changed_since_is_refused_with_the_actor(client: httpx.AsyncClient) -> None:
    address, record = await register(client, "driver")
    await client.put(address, json={**record, "city": "Mysuru", "bank_name": "SBI"})
    await client.put(address, json={**record, "city": "Salem", "bank_name": "SBI"})
    refused = await undo(client, address, 2)
    assert (refused.status_code, refused.json()["current_version"]) == (412, 3)
    (change,) = refused.json()["changed_since"]
    assert (change["version"], change["fields"], change["actor"]["sub"]) == (3, ["city"], "dev|asha")
    assert (await undo(client, address, 2, if_match="*")).status_code == 412  # `*` names no version
    assert (await undo(client, address, 2, if_match='"2"')).status_code == 412
    kept = await undo(client, address, 2, keep=["city"])
    record_now = unwrap("driver", kept.json())
    assert (record_now["city"], record_now["bank_name"]) == ("Salem", record["bank_name"])
