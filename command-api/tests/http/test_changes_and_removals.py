"""PUT and DELETE, for all four entity types."""

from typing import Any

import httpx
import pytest
from command_api_testing.fleet import ENTITIES, new_body, path_of, unwrap, version_of

CHANGED: dict[str, dict[str, Any]] = {
    "driver": {"city": "Mysuru"},
    "trailer": {"status": "MAINTENANCE"},
    "horse": {"owner": "Another"},
    "location": {"attributes": {"city": "Salem"}},
}


async def register(client: httpx.AsyncClient, entity: str) -> tuple[str, dict[str, Any]]:
    body = new_body(entity)
    answer = await client.post(path_of(entity), json=body)
    assert answer.status_code == 201, answer.text
    return answer.headers["location"], {**body, "id": unwrap(entity, answer.json())["id"]}


@pytest.mark.parametrize("entity", ENTITIES)
async def test_a_change_answers_with_the_new_record_and_version(
    client: httpx.AsyncClient, entity: str
) -> None:
    address, body = await register(client, entity)

    answer = await client.put(address, json={**body, **CHANGED[entity]})

    assert answer.status_code == 200, answer.text
    assert version_of(answer) == 2
    (field,) = CHANGED[entity]
    assert unwrap(entity, answer.json())[field] != body[field]


@pytest.mark.parametrize("entity", ENTITIES)
async def test_a_record_can_be_put_back_as_it_was_answered_and_nothing_is_appended(
    client: httpx.AsyncClient, entity: str
) -> None:
    address, _ = await register(client, entity)
    first = await client.put(address, json=new_body(entity) | {"id": address.rsplit("/", 1)[1]})

    answer = await client.put(address, json=unwrap(entity, first.json()))

    assert (answer.status_code, answer.headers["etag"]) == (200, first.headers["etag"])
    assert answer.headers["fleetlog-position"] == first.headers["fleetlog-position"]


async def test_true_is_not_one(client: httpx.AsyncClient) -> None:
    address, body = await register(client, "horse")
    await client.put(address, json={**body, "metadata": {"a": 1}})

    answer = await client.put(address, json={**body, "metadata": {"a": True}})

    assert version_of(answer) == 3
    assert answer.json()["metadata"]["a"] is True


@pytest.mark.parametrize("entity", ENTITIES)
async def test_removal_succeeds_twice_and_appends_once(client: httpx.AsyncClient, entity: str) -> None:
    address, _ = await register(client, entity)

    first = await client.delete(address)
    second = await client.delete(address, headers={"If-Match": '"77"'})

    assert (first.status_code, second.status_code) == (204, 204)
    assert first.content == b""
    assert first.headers["fleetlog-position"] == second.headers["fleetlog-position"]


@pytest.mark.parametrize("entity", ENTITIES)
async def test_what_was_never_there_cannot_be_changed_or_removed(
    client: httpx.AsyncClient, entity: str
) -> None:
    body = {name: value for name, value in new_body(entity).items() if name != "id"}
    for unknown in ("NOBODY", "add", "a%20b", "%00", "%ff", "x" * 65, ".."):
        address = f"{path_of(entity)}/{unknown}"
        assert (await client.put(address, json=body)).status_code in (404, 405)
        assert (await client.delete(address)).status_code in (404, 405)


async def test_a_removed_id_is_unknown_until_registered_again_and_its_history_goes_on(
    client: httpx.AsyncClient,
) -> None:
    address, body = await register(client, "driver")
    await client.delete(address)

    assert (await client.put(address, json=body)).status_code == 404
    again = await client.post(path_of("driver"), json=body)

    assert (again.status_code, version_of(again)) == (201, 3)


async def test_the_bodys_id_must_be_the_paths(client: httpx.AsyncClient) -> None:
    address, body = await register(client, "driver")

    answer = await client.put(address, json={**body, "id": "EMP-OTHER"})

    assert answer.status_code == 422
    assert answer.json()["validation_errors"][0]["field"] == "id"


async def test_a_stale_etag_is_answered_with_who_changed_what_since(client: httpx.AsyncClient) -> None:
    address, body = await register(client, "driver")
    await client.put(address, json={**body, "city": "Mysuru"})
    await client.put(address, json={**body, "city": "Salem", "country": "IN"})

    answer = await client.put(address, json={**body, "name": "X"}, headers={"If-Match": '"1"'})

    assert answer.status_code == 412
    problem = answer.json()
    assert problem["current_version"] == 3
    assert [(change["version"], change["fields"]) for change in problem["changed_since"]] == [
        (2, ["city"]),
        (3, ["city", "country"]),
    ]
    assert problem["changed_since"][0]["actor"]["name"] == "Asha Menon"
    assert "Mysuru" not in answer.text


@pytest.mark.parametrize("tag", ['w/"1"', "1", '"01"', '"2"', 'W/"2"', '"x"', '"1-xz"', ""])
async def test_a_tag_that_is_not_the_current_version_fails_even_where_nothing_would_change(
    client: httpx.AsyncClient, tag: str
) -> None:
    address, body = await register(client, "horse")

    assert (await client.put(address, json=body, headers={"If-Match": tag})).status_code == 412
    assert (await client.delete(address, headers={"If-Match": tag})).status_code == 412


@pytest.mark.parametrize(
    "tag", ['"1"', "*", '"7", "1"', 'W/"1"', 'W/"7", W/"1"', '"1-gzip"', '"1;gzip"', 'W/"1--br"']
)
async def test_a_tag_that_is_the_current_version_holds(client: httpx.AsyncClient, tag: str) -> None:
    address, body = await register(client, "horse")

    answer = await client.put(address, json={**body, "owner": "New"}, headers={"If-Match": tag})

    assert answer.status_code == 200


async def test_a_repeated_change_is_answered_as_it_was_though_others_came_between(
    client: httpx.AsyncClient,
) -> None:
    address, body = await register(client, "driver")
    headers = {"Idempotency-Key": "change-1"}
    first = await client.put(address, json={**body, "city": "Salem"}, headers=headers)
    await client.put(address, json={**body, "city": "Erode"})

    repeated = await client.put(address, json={**body, "city": "Salem"}, headers=headers)

    assert repeated.json() == first.json()
    assert repeated.headers["etag"] == first.headers["etag"]
