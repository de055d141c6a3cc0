"""Commands of those who may not see personal data: they neither see nor overwrite it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from command_api_testing.fleet import ENTITIES, new_body, path_of, unwrap, version_of
from command_api_testing.log_in_memory import LogInMemory

from command_api.app import build_app
from command_api.domain.catalogue import DEFINITIONS
from ops.base.permissions import Permission
from ops.base.records.entities import entity_type
from ops.base.records.masks import masked_body
from ops.base.settings import ServiceSettings
from ops.testing.serving import serving
from ops.testing.token_issuer import TokenIssuer

OTHERS: dict[str, dict[str, Any]] = {
    "driver": {},
    "trailer": {"status": "Maintenance", "axles": 5},
    "horse": {"hired": "Yes"},
    "location": {"name": "Somewhere else"},
}
"""Changes of what is not personal."""
Clients = tuple[httpx.AsyncClient, httpx.AsyncClient]


@pytest.fixture(scope="module")
async def clients(
    log: LogInMemory, settings_with: Callable[..., ServiceSettings], issuer: TokenIssuer
) -> AsyncIterator[Clients]:
    """One who may do everything, and one who may do everything but see personal data."""
    permitted = [permission for permission in Permission if permission != Permission.PERSONAL_READ]
    tokens = issuer.token(), issuer.token(permissions=permitted)
    async with serving(build_app(settings_with(), log)) as origin:
        one, other = (
            httpx.AsyncClient(
                base_url=origin, headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=60
            )
            for token in tokens
        )
        async with one, other:
            yield one, other


def personal(entity: str) -> list[str]:
    return [name for name in entity_type(entity).personal if name in entity_type(entity).schema["properties"]]


async def registered(client: httpx.AsyncClient, entity: str) -> tuple[str, dict[str, Any]]:
    answer = await client.post(path_of(entity), json=new_body(entity))
    assert answer.status_code == 201, answer.text
    return answer.headers["location"], unwrap(entity, answer.json())


def refused(answer: httpx.Response) -> bool:
    return answer.status_code == 403 and answer.json()["missing_permissions"] == ["personal:read"]


def without_times(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "updated_at"}


@pytest.mark.parametrize("entity", ENTITIES)
async def test_what_somebody_registers_is_shown_masked_and_kept_whole(clients: Clients, entity: str) -> None:
    full, masked = clients
    body = new_body(entity)
    answer = await masked.post(path_of(entity), json=body)
    assert answer.status_code == 201
    assert unwrap(entity, answer.json()).get("masked", []) == personal(entity)
    record = await full.put(answer.headers["location"], json=body)
    assert version_of(record) == 1  # it is so already
    assert answer.content == masked_body(entity_type(entity), record.content)
    assert (answer.headers["etag"] == record.headers["etag"]) == (not personal(entity))


@pytest.mark.parametrize("entity", ENTITIES)
@pytest.mark.parametrize("form", ["left out", "null", "as it was served"])
async def test_what_somebody_cannot_see_stays_as_it_is(clients: Clients, entity: str, form: str) -> None:
    full, masked = clients
    address, record = await registered(full, entity)
    body = {name: value for name, value in record.items() if name not in personal(entity)}
    if form != "left out":
        body |= dict.fromkeys(personal(entity))
    if form == "as it was served":
        body["masked"] = personal(entity)
    same = await masked.put(address, json=body)
    assert (same.status_code, version_of(same)) == (200, 1), same.text
    changed = await masked.put(
        address, json={**body, **OTHERS[entity]}, headers={"If-Match": same.headers["etag"]}
    )
    assert (changed.status_code, version_of(changed)) == (200, 2 if OTHERS[entity] else 1)
    again = await full.put(address, json={**record, **OTHERS[entity]})
    assert version_of(again) == version_of(changed)  # all of it is as it was
    assert without_times(unwrap(entity, again.json())) == without_times({**record, **OTHERS[entity]})


@pytest.mark.parametrize("entity", ["driver", "trailer", "horse"])
async def test_nobody_sets_what_they_cannot_see_also_not_to_what_it_is(clients: Clients, entity: str) -> None:
    full, masked = clients
    address, record = await registered(full, entity)
    body = {name: value for name, value in record.items() if name not in personal(entity)}
    for name in personal(entity):
        values: list[Any] = [record[name], "", "another", {}, 0, False]
        for value in values:
            assert refused(await masked.put(address, json={**body, name: value})), (name, value)
            assert refused(await masked.put(f"{path_of(entity)}/NOBODY", json={**body, name: value}))
    assert version_of(await full.put(address, json=record)) == 1


async def test_nobody_else_may_send_masks_back(clients: Clients) -> None:
    full, masked = clients
    address, record = await registered(full, "horse")
    for client in clients:
        answer = await client.post(path_of("horse"), json={**new_body("horse"), "masked": []})
        assert answer.status_code == 422
    assert (await full.put(address, json={**record, "masked": []})).status_code == 422
    assert (
        await masked.put(address, json={**record, **dict.fromkeys(personal("horse")), "masked": 7})
    ).status_code == 200


async def test_other_rules_hold_as_ever(clients: Clients) -> None:
    full, masked = clients
    address, record = await registered(full, "horse")
    body = {**record, **dict.fromkeys(personal("horse"))}
    answer = await masked.put(address, json={**body, "chassis_number": "", "nickname": "x"})
    assert answer.status_code == 422
    assert {error["field"]: error["message"] for error in answer.json()["validation_errors"]} == {
        "chassis_number": "Chassis number is required",
        "nickname": "This field is not known",
    }


async def test_a_change_that_came_in_between_is_not_overwritten(clients: Clients) -> None:
    full, masked = clients
    address, record = await registered(full, "horse")
    blind = {**record, **dict.fromkeys(personal("horse"))}
    answers = await asyncio.gather(
        *(full.put(address, json={**record, "owner": f"Owner {number}"}) for number in range(10)),
        *(masked.put(address, json={**blind, "hired": f"{number}"}) for number in range(10)),
    )
    assert {answer.status_code for answer in answers} == {200}
    last = await masked.put(address, json=blind)
    shown = unwrap(
        "horse", (await full.post(f"{address}/restore", json={"version": version_of(last)})).json()
    )
    assert shown["owner"].startswith("Owner ")


@pytest.mark.parametrize("entity", ENTITIES)
async def test_refusals_and_repeats_show_no_more(clients: Clients, entity: str) -> None:
    full, masked = clients
    address, record = await registered(full, entity)
    key = {"Idempotency-Key": address}
    changed = await full.put(address, json={**record, **OTHERS[entity]}, headers=key)
    repeated = await masked.put(address, json={**record, **OTHERS[entity]}, headers=key)
    if personal(entity):
        assert refused(repeated)
    else:
        assert repeated.content == changed.content
    await full.delete(address)
    restored = await full.post(f"{address}/restore", json={"version": 1})
    body = {name: value for name, value in record.items() if name not in personal(entity)}
    for method in ("PUT", "DELETE"):
        given: dict[str, Any] = {"json": body} if method == "PUT" else {}
        answer = await masked.request(method, address, headers={"If-Match": '"1"'}, **given)
        assert answer.status_code == 412
        assert answer.headers["etag"] == (await masked.put(address, json=body)).headers["etag"]
        assert answer.json()["changed_since"]
        for change in answer.json()["changed_since"]:
            assert change["actor"] == {"sub": "dev|asha", "name": None}
            assert change["masked"] == ["actor.name"]
    if entity == "driver":
        taken = await masked.post(path_of(entity), json={**record})
        assert taken.status_code == 409
        assert not any(str(value) in taken.text for name, value in record.items() if name != "id" and value)
    assert (await masked.delete(address)).status_code == 204
    assert version_of(restored) > 1


async def test_a_repeat_shows_what_its_sender_may_see_now(clients: Clients) -> None:
    full, masked = clients
    body, key = new_body("horse"), {"Idempotency-Key": "the same person with fewer permissions"}
    first = await full.post(
        path_of("horse"), json=body, headers={"Idempotency-Key": key["Idempotency-Key"].replace(" ", "-")}
    )
    again = await masked.post(
        path_of("horse"), json=body, headers={"Idempotency-Key": key["Idempotency-Key"].replace(" ", "-")}
    )
    assert first.headers["location"] == again.headers["location"]
    assert again.content == masked_body(entity_type("horse"), first.content)


@pytest.mark.parametrize("entity", ENTITIES)
async def test_restoring_needs_to_see(clients: Clients, entity: str) -> None:
    full, masked = clients
    address, _ = await registered(full, entity)
    assert refused(await masked.post(f"{address}/restore", json={"version": 1}))
    assert (await full.post(f"{address}/restore", json={"version": 1})).status_code == 200


async def test_undoing_what_is_personal_needs_to_see(clients: Clients) -> None:
    full, masked = clients
    address, record = await registered(full, "horse")
    await full.put(address, json={**record, "owner": "Another"})
    await full.put(address, json={**record, "owner": "Another", "hired": "yes"})
    assert refused(await masked.post(f"{address}/undo", json={"version": 2}))
    undone = await masked.post(f"{address}/undo", json={"version": 3})
    assert (undone.status_code, undone.json()["owner"]) == (200, None)
    await full.delete(address)
    assert refused(await masked.post(f"{address}/undo", json={"version": version_of(undone) + 1}))
    shown = unwrap("horse", (await full.post(f"{address}/undo", json={"version": 5})).json())
    assert (shown["owner"], shown["hired"]) == ("Another", record["hired"])


@pytest.mark.parametrize("entity", ENTITIES)
def test_what_is_harmless_keeps_its_rules(entity: str) -> None:
    definition = DEFINITIONS[entity]
    harmless = definition.harmless_details.model_fields
    assert harmless.keys() == set(definition.fields) - definition.personal
    assert all(
        field.metadata == definition.details.model_fields[name].metadata for name, field in harmless.items()
    )
