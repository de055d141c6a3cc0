"""Dismissals of possible duplicates: events of one record that leave it unchanged."""

import httpx
import pytest
from command_api_testing.fleet import register, unwrap, version_of
from command_api_testing.log_in_memory import LogInMemory, stored_members


@pytest.mark.parametrize("entity", ["driver", "horse", "trailer"])
async def test_dismissal_is_an_event_and_the_record_stays(
    client: httpx.AsyncClient, log: LogInMemory, entity: str
) -> None:
    address, record = await register(client, entity)
    headers = {"Idempotency-Key": "once", "X-Change-Reason": "two brothers", "If-Match": '"1"'}
    for _ in range(2):
        answer = await client.post(
            f"{address}/dismissals", json={"other": "B-7", "dismissed": True}, headers=headers
        )
        assert (answer.status_code, answer.content, answer.headers["fleetlog-version"]) == (204, b"", "2")
    stored = stored_members(log.stream(f"{entity}:{record['id']}")[1])
    assert (stored["other"], stored["dismissed"]) == ("B-7", True)
    assert stored["metadata"]["reason"] == "two brothers"
    unchanged = await client.put(address, json=record)
    assert version_of(unchanged) == 2
    assert unwrap(entity, unchanged.json())["id"] == record["id"]
    undo = await client.post(f"{address}/undo", json={"version": 2})
    assert undo.json()["type"] == "urn:fleetlog:problem:rule-broken"


async def test_record_is_no_double_of_itself_and_locations_have_no_doubles(client: httpx.AsyncClient) -> None:
    address, record = await register(client, "horse")
    body = {"other": record["id"], "dismissed": True}
    assert (await client.post(f"{address}/dismissals", json=body)).status_code == 422
    assert (await client.post("/api/v1/horses/HRS-NONE/dismissals", json=body)).status_code == 404
    address, _ = await register(client, "location")
    assert (await client.post(f"{address}/dismissals", json=body)).status_code in {404, 405}
