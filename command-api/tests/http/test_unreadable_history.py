"""Commands on a record with an unreadable history."""

import json
from collections.abc import Callable
from dataclasses import replace

import httpx
import pytest
from command_api_testing.fleet import new_body, path_of, register
from command_api_testing.log_in_memory import LogInMemory, stored_members

from command_api.event_store.records import RecordedEvent


def removed(event: RecordedEvent) -> RecordedEvent:
    state = {name: value for name, value in stored_members(event).items() if name != "details"}
    return replace(event, topic="horse.removed", state=json.dumps(state).encode())


POISONS: dict[str, Callable[[RecordedEvent], RecordedEvent]] = {
    "another shape": lambda event: replace(event, state=b'{"name": "Ravi Kumar"}'),
    "unknown topic": lambda event: replace(event, topic="horse.exploded"),
    "impossible order": removed,
}


@pytest.mark.parametrize("poison", POISONS)
async def test_command_on_an_unreadable_history_is_refused(
    client: httpx.AsyncClient, log: LogInMemory, poison: str
) -> None:
    address, record = await register(client, "horse")
    (event,) = log.stream(f"horse:{record['id']}")
    log.replace(POISONS[poison](event))
    before = await log.head()
    changed = await client.put(address, json={**new_body("horse"), "hired": "Yes"})
    removed = await client.delete(address)
    for answer in (changed, removed):
        assert answer.status_code == 500
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == "urn:fleetlog:problem:history-unreadable"
        assert "Ravi" not in answer.text
    assert await log.head() == before
    assert (await client.post(path_of("horse"), json=new_body("horse"))).status_code == 201
