"""PUT and DELETE, for all four entity types."""

import httpx
import pytest
from command_api_testing.fleet import ENTITIES, new_body, path_of, register


@pytest.mark.parametrize("entity", ENTITIES)
async def test_unknown_ids_cannot_be_changed_or_removed(client: httpx.AsyncClient, entity: str) -> None:
    body = {name: value for name, value in new_body(entity).items() if name != "id"}
    for unknown in ("UNKNOWN", "add", "a%20b", "%00", "%ff", "x" * 65, ".."):
        address = f"{path_of(entity)}/{unknown}"
        assert (await client.put(address, json=body)).status_code in (404, 405)
        assert (await client.delete(address)).status_code in (404, 405)


async def test_id_in_the_body_must_equal_the_path(client: httpx.AsyncClient) -> None:
    address, body = await register(client, "driver")

    answer = await client.put(address, json={**body, "id": "EMP-OTHER"})

    assert answer.status_code == 422
    assert answer.json()["validation_errors"][0]["field"] == "id"


@pytest.mark.usefixtures("known_actors")
async def test_stale_etag_is_answered_with_the_changes_since(client: httpx.AsyncClient) -> None:
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
async def test_other_tags_fail_even_without_a_change(client: httpx.AsyncClient, tag: str) -> None:
    address, body = await register(client, "horse")

    assert (await client.put(address, json=body, headers={"If-Match": tag})).status_code == 412
    assert (await client.delete(address, headers={"If-Match": tag})).status_code == 412


@pytest.mark.parametrize(
    "tag", ['"1"', "*", '"7", "1"', 'W/"1"', 'W/"7", W/"1"', '"1-gzip"', '"1;gzip"', 'W/"1--br"']
)
async def test_tags_of_the_current_version_match(client: httpx.AsyncClient, tag: str) -> None:
    address, body = await register(client, "horse")

    answer = await client.put(address, json={**body, "owner": "New"}, headers={"If-Match": tag})

    assert answer.status_code == 200
