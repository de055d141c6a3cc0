"""Commands without `personal:read` neither show nor overwrite personal data."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from command_api_testing.fleet import (
    ENTITIES,
    client_of,
    new_body,
    path_of,
    register,
    unwrap,
    version_of,
    without_times,
)
from command_api_testing.log_in_memory import LogInMemory

from command_api.app import build_app
from ops.base.permissions import Permission
from ops.base.records.entities import entity_type
from ops.base.records.masks import masked_body
from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve
from ops.testing.token_issuer import TokenIssuer

OTHERS: dict[str, dict[str, Any]] = {
    "driver": {},
    "trailer": {"status": "Maintenance", "axles": 5},
    "horse": {"hired": "Yes"},
    "location": {"name": "Somewhere else"},
    "subscription": {"status": "paused"},
    "assignment": {"trailers": []},
}
"""Changes without personal data."""
Clients = tuple[httpx.AsyncClient, httpx.AsyncClient]


@pytest.fixture(scope="module")
async def clients(
    log: LogInMemory, settings_with: Callable[..., ServiceSettings], issuer: TokenIssuer
) -> AsyncIterator[Clients]:
    """A client with all permissions, and one without `personal:read`."""
    permitted = [permission for permission in Permission if permission != Permission.PERSONAL_READ]
    async with (
        serve(build_app(settings_with(), log)) as origin,
        client_of(origin, issuer) as one,
        client_of(origin, issuer, permissions=permitted) as other,
    ):
        yield one, other


def personal(entity: str) -> list[str]:
    return [name for name in entity_type(entity).personal if name in entity_type(entity).schema["properties"]]


def refused(answer: httpx.Response) -> bool:
    return answer.status_code == 403 and answer.json()["missing_permissions"] == ["personal:read"]


@pytest.mark.parametrize("entity", ENTITIES)
async def test_registration_is_stored_completely_and_answered_masked(clients: Clients, entity: str) -> None:
    full, masked = clients
    body = new_body(entity)
    answer = await masked.post(path_of(entity), json=body)
    assert answer.status_code == 201
    assert unwrap(entity, answer.json()).get("masked", []) == personal(entity)
    record = await full.put(answer.headers["location"], json=body)
    assert version_of(record) == 1  # unchanged
    assert answer.content == masked_body(entity_type(entity), record.content)
    assert (answer.headers["etag"] == record.headers["etag"]) == (not personal(entity))


@pytest.mark.parametrize("entity", ENTITIES)
@pytest.mark.parametrize("form", ["left out", "null", "as it was served"])
async def test_masked_change_keeps_personal_data(clients: Clients, entity: str, form: str) -> None:
    full, masked = clients
    address, record = await register(full, entity)
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
    assert version_of(again) == version_of(changed)  # unchanged
    assert without_times(unwrap(entity, again.json())) == without_times({**record, **OTHERS[entity]})


@pytest.mark.parametrize("entity", ["driver", "trailer", "horse"])
async def test_personal_data_cannot_be_set_without_permission(clients: Clients, entity: str) -> None:
    full, masked = clients
    address, record = await register(full, entity)
    body = {name: value for name, value in record.items() if name not in personal(entity)}
    for name in personal(entity):
        values: list[Any] = [record[name], "", "another", {}, 0, False]
        for value in values:
            assert refused(await masked.put(address, json={**body, name: value})), (name, value)
            assert refused(await masked.put(f"{path_of(entity)}/UNKNOWN", json={**body, name: value}))
    assert version_of(await full.put(address, json=record)) == 1


async def test_masked_is_accepted_in_masked_changes_only(clients: Clients) -> None:
    full, masked = clients
    address, record = await register(full, "horse")
    for client in clients:
        answer = await client.post(path_of("horse"), json={**new_body("horse"), "masked": []})
        assert answer.status_code == 422
    assert (await full.put(address, json={**record, "masked": []})).status_code == 422
    assert (
        await masked.put(address, json={**record, **dict.fromkeys(personal("horse")), "masked": 7})
    ).status_code == 200


async def test_masked_change_is_validated(clients: Clients) -> None:
    full, masked = clients
    address, record = await register(full, "horse")
    body = {**record, **dict.fromkeys(personal("horse"))}
    answer = await masked.put(address, json={**body, "chassis_number": "", "nickname": "x"})
    assert answer.status_code == 422
    assert {error["field"]: error["message"] for error in answer.json()["validation_errors"]} == {
        "chassis_number": "Chassis number is required",
        "nickname": "This field is not known",
    }


async def test_concurrent_change_of_personal_data_is_not_overwritten(clients: Clients) -> None:
    full, masked = clients
    address, record = await register(full, "horse")
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
async def test_retry_with_personal_data_needs_personal_read(clients: Clients, entity: str) -> None:
    full, masked = clients
    address, record = await register(full, entity)
    key = {"Idempotency-Key": address}
    changed = await full.put(address, json={**record, **OTHERS[entity]}, headers=key)
    repeated = await masked.put(address, json={**record, **OTHERS[entity]}, headers=key)
    assert refused(repeated) if personal(entity) else repeated.content == changed.content


async def test_refused_registration_shows_nothing_of_the_record(clients: Clients) -> None:
    """`test_refusals_reveal_nothing` covers the routes of a record."""
    full, masked = clients
    _, record = await register(full, "driver")
    taken = await masked.post(path_of("driver"), json=record)
    assert taken.status_code == 409
    assert not any(str(value) in taken.text for name, value in record.items() if name != "id" and value)


async def test_retry_is_masked_by_current_permissions(clients: Clients) -> None:
    body, key = new_body("horse"), {"Idempotency-Key": "the-same-user-with-fewer-permissions"}
    first, again = [await client.post(path_of("horse"), json=body, headers=key) for client in clients]
    assert first.headers["location"] == again.headers["location"]
    assert again.content == masked_body(entity_type("horse"), first.content)


async def test_undo_of_personal_data_needs_personal_read(clients: Clients) -> None:
    full, masked = clients
    address, record = await register(full, "horse")
    await full.put(address, json={**record, "owner": "Another"})
    await full.put(address, json={**record, "owner": "Another", "hired": "yes"})
    assert refused(await masked.post(f"{address}/undo", json={"version": 2}))
    undone = await masked.post(f"{address}/undo", json={"version": 3})
    assert (undone.status_code, undone.json()["owner"]) == (200, None)
    await full.delete(address)
    assert refused(await masked.post(f"{address}/undo", json={"version": version_of(undone) + 1}))
    shown = unwrap("horse", (await full.post(f"{address}/undo", json={"version": 5})).json())
    assert (shown["owner"], shown["hired"]) == ("Another", record["hired"])
