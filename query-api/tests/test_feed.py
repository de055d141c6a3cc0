"""The feed over HTTP: the same events in three formats."""

import json
from typing import Any

import httpx
import pytest
from query_api_testing.served import FollowedFleet

pytestmark = pytest.mark.integration

EVENTS = "/api/v1/events"
SSE = {"Accept": "text/event-stream"}
NDJSON = {"Accept": "application/x-ndjson"}


@pytest.fixture
def past(fleet: FollowedFleet) -> FollowedFleet:
    fleet.register("driver", "EMP-1")  # 1
    fleet.register("horse", "HRS-1")  # 2
    fleet.change("driver", "EMP-1", city="Pune")  # 3
    fleet.register("trailer", "TRL-1")  # 4
    fleet.change("horse", "HRS-1", hired="Yes")  # 5
    fleet.remove("driver", "EMP-1")  # 6
    return fleet


def positions(events: list[dict[str, Any]]) -> list[int]:
    return [int(event["sequence"]) for event in events]


async def test_lines_end_at_the_head(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    answer = await client.get(EVENTS, headers=NDJSON)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert positions([json.loads(line) for line in answer.text.splitlines()]) == [1, 2, 3, 4, 5, 6]


async def test_batch_links_to_the_next_one(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    seen: list[list[int]] = []
    address = f"{EVENTS}?limit=4&type=registered,details_changed"
    while not seen or seen[-1]:
        answer = await client.get(address)
        assert answer.headers["content-type"] == "application/cloudevents-batch+json"
        seen.append(positions(answer.json()))
        address = answer.links["next"]["url"]
    assert seen == [[1, 2, 3, 4], [5], []]
