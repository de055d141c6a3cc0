"""POST to `undo`: what one change did is taken back by a new one, and nothing that came of others."""

import json
from typing import Any

import httpx
import pytest
from command_api_testing.fleet import ENTITIES, new_body, path_of, unwrap, version_of
from command_api_testing.log_in_memory import LogInMemory

CHANGED: dict[str, dict[str, Any]] = {
    "driver": {"city": "Mysuru", "swift_code": "SBININBB"},
    "trailer": {"status": "MAINTENANCE", "data": {"a": [1, None]}},
    "horse": {"owner": "Another", "metadata": {}},
    "location": {"country": "Nepal", "attributes": {"city": "Salem"}},
}
TIMES = ("created_at", "updated_at")


async def registered(client: httpx.AsyncClient, entity: str) -> tuple[str, dict[str, Any]]:
    answer = await client.post(path_of(entity), json=new_body(entity))
    assert made(answer) == 1
    return answer.headers["location"], unwrap(entity, answer.json())


async def undo(client: httpx.AsyncClient, address: str, version: int, **more: Any) -> httpx.Response:
    named = {"If-Match": more.pop("if_match", None), "Idempotency-Key": more.pop("key", None)}
    headers = {name: value for name, value in named.items() if value is not None}
    return await client.post(f"{address}/undo", json={"version": version, **more}, headers=headers)


def made(answer: httpx.Response) -> int | None:
    version = answer.headers.get("fleetlog-version")
    return None if version is None else int(version)


def without_times(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in TIMES}


@pytest.mark.parametrize("entity", ENTITIES)
async def test_a_change_is_undone_and_that_as_well(client: httpx.AsyncClient, entity: str) -> None:
    address, record = await registered(client, entity)
    changed = await client.put(address, json={**record, **CHANGED[entity]})
    undone = await undo(client, address, 2)
    assert (undone.status_code, version_of(undone), made(undone)) == (200, 3, 3), undone.text
    assert without_times(unwrap(entity, undone.json())) == without_times(record)
    again = await undo(client, address, 2)
    assert (again.status_code, version_of(again), made(again)) == (200, 3, None)  # it is so already
    redone = await undo(client, address, 3)
    assert (made(redone), without_times(unwrap(entity, redone.json()))) == (
        4,
        without_times(unwrap(entity, changed.json())),
    )


@pytest.mark.parametrize("entity", ENTITIES)
async def test_a_removal_and_a_registration_are_undone(client: httpx.AsyncClient, entity: str) -> None:
    address, record = await registered(client, entity)
    removed = await client.delete(address)
    assert made(removed) == 2
    assert made(await client.delete(address)) is None  # it was removed already
    back = await undo(client, address, 2)
    assert (back.status_code, made(back)) == (200, 3)
    assert without_times(unwrap(entity, back.json())) == without_times(record)
    gone = await undo(client, address, 1)
    assert (gone.status_code, made(gone), gone.content) == (204, 4, b"")
    assert version_of(gone) == 4
    assert (await client.put(address, json=record)).status_code == 404


async def test_the_event_names_what_it_undoes(client: httpx.AsyncClient, log: LogInMemory) -> None:
    address, record = await registered(client, "horse")
    await client.put(address, json={**record, "owner": "Another"})
    await undo(client, address, 2)
    events = [json.loads(event.state)["metadata"] for event in log.stream(f"horse:{record['id']}")]
    assert [event.get("undoes", "not stored") for event in events] == ["not stored", "not stored", 2]


async def test_what_others_have_changed_besides_stays(client: httpx.AsyncClient) -> None:
    address, record = await registered(client, "driver")
    await client.put(address, json={**record, "city": "Mysuru"})
    await client.put(address, json={**record, "city": "Mysuru", "bank_name": "SBI"})
    undone = await undo(client, address, 2)
    assert undone.status_code == 200
    record_now = unwrap("driver", undone.json())
    assert (record_now["city"], record_now["bank_name"]) == (record["city"], "SBI")


async def test_members_of_a_declared_object_are_changed_each_by_itself(client: httpx.AsyncClient) -> None:
    address, record = await registered(client, "location")
    attributes = {**record["attributes"], "city": "Salem"}
    await client.put(address, json={**record, "attributes": attributes})
    await client.put(address, json={**record, "attributes": {**attributes, "status": "Closed"}})
    undone = unwrap("location", (await undo(client, address, 2)).json())
    assert undone["attributes"] == {**record["attributes"], "status": "Closed"}


async def test_so_are_members_of_an_object_of_the_clients_own(client: httpx.AsyncClient) -> None:
    address, record = await registered(client, "trailer")
    data = {"currentLocation": "Hosur", "a": 1}
    await client.put(address, json={**record, "data": data})  # 2
    await client.put(address, json={**record, "data": {**data, "currentLocation": "Salem", "b": None}})  # 3
    undone = unwrap("trailer", (await undo(client, address, 2, keep=["data.currentLocation"])).json())
    before = {name: value for name, value in (record["data"] or {}).items() if name != "currentLocation"}
    assert undone["data"] == {**before, "currentLocation": "Salem", "b": None}
    await client.put(address, json={**record, "data": None})  # 5
    await client.put(address, json={**record, "data": {"a": 1}})  # 6
    assert unwrap("trailer", (await undo(client, address, 6)).json())["data"] is None


async def test_where_others_have_changed_the_same_it_says_who(client: httpx.AsyncClient) -> None:
    address, record = await registered(client, "driver")
    await client.put(address, json={**record, "city": "Mysuru", "bank_name": "SBI"})
    await client.put(address, json={**record, "city": "Salem", "bank_name": "SBI"})
    refused = await undo(client, address, 2)
    assert (refused.status_code, refused.json()["current_version"]) == (412, 3)
    (change,) = refused.json()["changed_since"]
    assert (change["version"], change["fields"], change["actor"]["sub"]) == (3, ["city"], "dev|asha")
    assert (await undo(client, address, 2, if_match="*")).status_code == 412  # nobody has seen what it is
    assert (await undo(client, address, 2, if_match='"2"')).status_code == 412
    kept = await undo(client, address, 2, keep=["city"])
    record_now = unwrap("driver", kept.json())
    assert (record_now["city"], record_now["bank_name"]) == ("Salem", record["bank_name"])


async def test_whoever_has_seen_it_takes_it_back_all_the_same(client: httpx.AsyncClient) -> None:
    address, record = await registered(client, "location")
    changed = {**record, "country": "Nepal", "attributes": {**record["attributes"], "city": "Salem"}}
    await client.put(address, json=changed)
    attributes = {**record["attributes"], "city": "Erode"}
    await client.put(address, json={**record, "country": "Bhutan", "attributes": attributes})
    answer = await undo(client, address, 2, if_match='"3"', keep=["attributes.city"])
    undone = unwrap("location", answer.json())
    assert (undone["country"], undone["attributes"]["city"]) == (record["country"], "Erode")


async def test_what_was_removed_since_is_told_so(client: httpx.AsyncClient) -> None:
    address, record = await registered(client, "horse")
    await client.put(address, json={**record, "owner": "Another"})
    await client.delete(address)
    refused = await undo(client, address, 2)
    assert (refused.status_code, refused.json()["changed_since"][-1]["type"]) == (412, "horse.removed")
    assert (await undo(client, address, 2, if_match='"3"')).status_code == 404


async def test_a_registration_that_others_have_built_on_stays(client: httpx.AsyncClient) -> None:
    address, record = await registered(client, "horse")
    await client.put(address, json={**record, "owner": "Another"})
    assert (await undo(client, address, 1)).status_code == 412
    assert (await undo(client, address, 2)).status_code == 200
    assert (await undo(client, address, 1)).status_code == 204  # what they did was taken back


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["version"]),
        ({"version": 0}, ["version"]),
        ({"version": 1.0}, ["version"]),
        ({"version": 9}, ["version"]),
        ({"version": 1, "fields": []}, ["fields"]),
        ({"version": 1, "keep": "city"}, ["keep"]),
        ({"version": 1, "keep": [1]}, ["keep.0"]),
        ({"version": 1, "keep": ["city", "id", "attributes.city"]}, ["keep.1", "keep.2"]),
    ],
)
async def test_what_names_no_version_or_no_field_is_refused(
    client: httpx.AsyncClient, body: dict[str, Any], fields: list[str]
) -> None:
    address, _ = await registered(client, "driver")
    answer = await client.post(f"{address}/undo", json=body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["validation_errors"]] == fields


async def test_nothing_of_a_registration_can_be_kept(client: httpx.AsyncClient) -> None:
    address, _ = await registered(client, "driver")
    answer = await undo(client, address, 1, keep=["city"])
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:fleetlog:problem:rule-broken")


async def test_an_unknown_id_has_nothing_to_undo(client: httpx.AsyncClient) -> None:
    assert (await undo(client, f"{path_of('driver')}/NOBODY", 1)).status_code == 404


async def test_a_repeated_undo_is_carried_out_once(client: httpx.AsyncClient) -> None:
    address, record = await registered(client, "horse")
    await client.put(address, json={**record, "owner": "Another"})
    answers = [await undo(client, address, 2, key=f"undo{address}") for _ in range(2)]
    assert [(version_of(answer), made(answer)) for answer in answers] == [(3, 3), (3, 3)]
    other = await undo(client, address, 3, key=f"undo{address}")
    assert (other.status_code, other.json()["type"]) == (422, "urn:fleetlog:problem:idempotency-mismatch")
