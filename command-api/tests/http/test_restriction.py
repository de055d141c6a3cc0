"""Restriction, hold and erasure over HTTP."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from command_api_testing.fleet import ENTITIES, hold_references, new_body, register
from command_api_testing.log_in_memory import LogInMemory

from ops.base.permissions import OF_STAFF, Permission

OFFICER = OF_STAFF | {Permission.PRIVACY_RESTRICT, Permission.PRIVACY_ERASE}
TODAY = datetime.now(UTC).date()

People = dict[str, httpx.AsyncClient]


@pytest.fixture
async def people(users_of: Callable[..., Awaitable[People]]) -> People:
    """A clerk, and two privacy officers."""
    permissions = {"asha": OF_STAFF, "ingrid": OFFICER, "samuel": OFFICER}
    return await users_of(hold_references(LogInMemory()), permissions)


async def registered(people: People, entity: str = "driver") -> str:
    address, _ = await register(people["asha"], entity)
    return address


def body_of(entity: str) -> dict[str, Any]:
    return {name: value for name, value in new_body(entity).items() if name != "id"}


def problem(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].rpartition(":")[2]


@pytest.mark.parametrize("entity", ENTITIES)
async def test_two_users_restrict_and_erase_a_record(people: People, entity: str) -> None:
    address = await registered(people, entity)
    restricted = await people["ingrid"].post(f"{address}/restriction", json={"basis": "asked"})
    assert restricted.status_code == 200, restricted.text
    assert restricted.json() == {
        "id": address.rpartition("/")[2],
        "version": 2,
        "state": "restricted",
        "basis": "asked",
        "due": str(TODAY + timedelta(days=30)),
        "hold_until": None,
        "asked_by": "dev|ingrid",
    }
    assert "fleetlog-position" in restricted.headers
    changed = await people["asha"].put(address, json=body_of(entity))
    assert problem(changed) == (409, "restricted")

    confirmed = {"confirm": address.rpartition("/")[2]}
    assert problem(await people["ingrid"].post(f"{address}/erasure", json=confirmed)) == (409, "rule-broken")
    erased = await people["samuel"].post(f"{address}/erasure", json=confirmed)
    assert (erased.status_code, erased.json()["state"]) == (202, "erasing")
    assert problem(await people["asha"].put(address, json=body_of(entity))) == (404, "not-found")


async def test_hold_needs_a_reason_and_prevents_erasure(people: People) -> None:
    ingrid, samuel = people["ingrid"], people["samuel"]
    address = await registered(people)
    await ingrid.post(f"{address}/restriction", json={"basis": "purpose-served", "due": str(TODAY)})
    hold = {"until": str(TODAY + timedelta(days=7))}
    without = await ingrid.put(f"{address}/restriction/hold", json=hold)
    assert (without.status_code, without.json()["validation_errors"][0]["field"]) == (422, "until")
    held = await ingrid.put(
        f"{address}/restriction/hold", json=hold, headers={"X-Change-Reason": "a claim is open"}
    )
    assert held.json()["hold_until"] == hold["until"]
    refused = await samuel.post(f"{address}/erasure", json={"confirm": address.rpartition("/")[2]})
    assert hold["until"] in refused.json()["detail"]
    ended = await ingrid.put(f"{address}/restriction/hold", json={"until": None})
    assert ended.json()["hold_until"] is None
    assert (await ingrid.delete(f"{address}/restriction")).status_code == 204
    assert problem(await ingrid.delete(f"{address}/restriction")) == (409, "rule-broken")
    assert (await people["asha"].put(address, json=body_of("driver"))).status_code == 200


async def test_retry_after_a_restriction_is_masked(
    people: People,
) -> None:
    address, once = await registered(people), {"Idempotency-Key": "once"}
    body = {**body_of("driver"), "name": "Zubeida Quartermaine"}
    first = await people["asha"].put(address, json=body, headers=once)
    await people["ingrid"].post(f"{address}/restriction", json={"basis": "asked"})
    again = await people["asha"].put(address, json=body, headers=once)
    assert (first.status_code, again.status_code) == (200, 200)
    (shown,), (masked,) = first.json().values(), again.json().values()
    assert (shown["name"], masked["name"], "name" in masked["masked"]) == (body["name"], None, True)
    assert (await people["asha"].put(address, json={**body, "name": "Ada"}, headers=once)).status_code == 422

    # The key still exists: no worker destroys it in this test.
    await people["samuel"].post(f"{address}/erasure", json={"confirm": address.rpartition("/")[2]})
    assert body["name"] not in (await people["asha"].put(address, json=body, headers=once)).text
