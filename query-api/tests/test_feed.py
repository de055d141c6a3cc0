"""The feed over HTTP: three formats with the same events, and where each of them goes on."""

import json
from typing import Any

import httpx
import pytest
from projections_testing.fleet import Fleet
from projections_testing.following import catch_up

from ops.base.database import connect, open_pool
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.rebuild.rebuilding import rebuild
from query_api.feed.filters import EVERYTHING
from query_api.feed.reading import Reader, WrittenByAnother

pytestmark = pytest.mark.integration

EVENTS = "/api/v1/events"
SSE = {"Accept": "text/event-stream"}
NDJSON = {"Accept": "application/x-ndjson"}


@pytest.fixture
async def past(fleet: Fleet, database: Database) -> Fleet:
    fleet.register("driver", "EMP-1")  # 1
    fleet.register("horse", "HRS-1")  # 2
    fleet.change("driver", "EMP-1", city="Pune")  # 3
    fleet.register("trailer", "TRL-1")  # 4
    fleet.change("horse", "HRS-1", hired="Yes")  # 5
    fleet.remove("driver", "EMP-1")  # 6
    await project(database)
    return fleet


async def project(database: Database) -> None:
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
        await connection.execute("SELECT pg_notify('fleetlog_projected', 'revisions:0')")


def positions(events: list[dict[str, Any]]) -> list[int]:
    return [int(event["sequence"]) for event in events]


async def test_lines_end_at_the_head(client: httpx.AsyncClient, past: Fleet) -> None:
    answer = await client.get(EVENTS, headers=NDJSON)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert positions([json.loads(line) for line in answer.text.splitlines()]) == [1, 2, 3, 4, 5, 6]


async def test_a_batch_leads_to_the_next_one(client: httpx.AsyncClient, past: Fleet) -> None:
    seen: list[list[int]] = []
    address = f"{EVENTS}?limit=4&type=registered,details_changed"
    while not seen or seen[-1]:
        answer = await client.get(address)
        assert answer.headers["content-type"] == "application/cloudevents-batch+json"
        seen.append(positions(answer.json()))
        address = answer.links["next"]["url"]
    assert seen == [[1, 2, 3, 4], [5], []]


async def test_a_stream_begins_with_the_past_and_goes_on_with_what_happens(
    client: httpx.AsyncClient, past: Fleet, database: Database
) -> None:
    seen = []
    async with client.stream("GET", EVENTS, headers={**SSE, "Last-Event-ID": ""}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for line in answer.aiter_lines():
            if line.startswith("data:"):
                seen.append(json.loads(line.removeprefix("data:")))
                if len(seen) == 6:
                    past.register("horse", "HRS-2")
                    await project(database)
                if len(seen) == 7:
                    break
    assert positions(seen) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("form", ["sse", "ndjson", "batch"])
async def test_nothing_is_told_of_what_an_earlier_release_has_written(
    client: httpx.AsyncClient, past: Fleet, database: Database, form: str
) -> None:
    """It may show what is masked now; the worker is about to write it anew."""
    past.connection.execute("UPDATE read.positions SET version = 2 WHERE projection = 'revisions'")
    past.connection.execute('UPDATE read.revisions SET public_event = \'{"plate": "KA01AB1234"}\'')
    answer = await client.get(EVENTS, params={"format": form})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")
    assert "KA01AB1234" not in answer.text
    async with open_pool(database.query, size=1) as pool:
        with pytest.raises(WrittenByAnother):  # also where somebody reads on from before
            await Reader(pool, "").read("log", EVERYTHING, after=0, upto=6, limit=10)
    await rebuild(database.projections, PROJECTIONS["revisions"])
    again = await client.get(EVENTS, headers=NDJSON)
    assert (again.status_code, again.text.count("\n")) == (200, 6)
    assert "KA01AB1234" not in again.text
