"""Acknowledgements of reminders: events of a driver that leave the record unchanged."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx
import pytest
from command_api_testing.fleet import register, unwrap, version_of
from command_api_testing.log_in_memory import LogInMemory, stored_members

from ops.base.permissions import Permission

Users = dict[str, httpx.AsyncClient]
LICENCE: Final = {"document": "licence"}
TODAY: Final = datetime.now(UTC).date()


@pytest.fixture
async def people(log: LogInMemory, users_of: Callable[..., Awaitable[Users]]) -> Users:
    """Two users with all permissions."""
    return await users_of(log, {"asha": Permission, "ingrid": Permission})


async def acknowledge(
    client: httpx.AsyncClient, address: str, body: Any = LICENCE, **headers: str
) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return await client.post(f"{address}/acknowledgements", json=body, headers=names)


async def test_acknowledgement_is_an_event_and_the_record_stays(people: Users, log: LogInMemory) -> None:
    client = people["asha"]
    address, record = await register(client, "driver")
    body = {"document": "passport", "until": str(TODAY + timedelta(days=9))}
    headers = {"Idempotency_Key": "once", "X_Change_Reason": "renewal is under way", "If_Match": '"1"'}
    for _ in range(2):
        answer = await acknowledge(client, address, body, **headers)
        assert (answer.status_code, answer.content, answer.headers["fleetlog-version"]) == (204, b"", "2")
    assert (await acknowledge(client, address)).headers["fleetlog-version"] == "3"
    first, second = (stored_members(event) for event in log.stream(f"driver:{record['id']}")[1:])
    assert (first["document"], first["until"]) == (body["document"], body["until"])
    assert first["metadata"]["reason"] == "renewal is under way"
    assert (second["document"], second["until"]) == ("licence", None)

    for _ in range(2):  # repetitions of the last acknowledgement change nothing
        assert (await acknowledge(client, address)).status_code == 204
    assert len(log.stream(f"driver:{record['id']}")) == 3
    refused = await acknowledge(client, address, body={**LICENCE, "until": body["until"]}, If_Match='"1"')
    assert (refused.status_code, refused.json()["current_version"]) == (412, 3)
    unchanged = await client.put(address, json=record)
    assert (version_of(unchanged), unwrap("driver", unchanged.json())) == (3, record)
    undo = await client.post(f"{address}/undo", json={"version": 2})
    assert (undo.status_code, undo.json()["type"]) == (409, "urn:fleetlog:problem:rule-broken")
    # It is no obstacle to an undo or a restoration of other versions.
    await client.put(address, json={**record, "city": "Mysuru"})
    assert version_of(await client.post(f"{address}/restore", json={"version": 3})) == 5
    assert version_of(await client.post(f"{address}/undo", json={"version": 4, "keep": ["city"]})) == 5
    # A renewal ends it, so that it can be repeated.
    await client.put(address, json={**record, "driving_license_expiry": "2031-01-01"})
    for _ in range(2):
        await acknowledge(client, address)
        await acknowledge(client, address, body)
    assert len(log.stream(f"driver:{record['id']}")) == 7


async def test_restricted_erased_and_removed_drivers_are_refused(
    people: Users,
) -> None:
    asha, ingrid = people["asha"], people["ingrid"]
    address, record = await register(asha, "driver")
    await asha.post(f"{address}/restriction", json={"basis": "asked"})
    assert (await acknowledge(asha, address)).json()["type"] == "urn:fleetlog:problem:restricted"
    erased = await ingrid.post(f"{address}/erasure", json={"confirm": record["id"]})
    assert erased.status_code == 202, erased.text
    removed, _ = await register(asha, "driver")
    await asha.delete(removed)
    for gone in (address, removed, "/api/v1/drivers/UNKNOWN", "/api/v1/drivers/add"):
        assert (await acknowledge(asha, gone)).status_code == 404
