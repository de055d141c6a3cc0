"""Streams of the feed: resumption and ends."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from query_api_testing.served import FollowedFleet, client_of, streams

from ops.base.settings import ServiceSettings
from ops.testing.conditions import wait_until
from ops.testing.http_servers import serve
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app
from query_api.settings import FeedSettings

EVENTS = "/api/v1/events"
SSE = {"Accept": "text/event-stream"}
LARGE = 16_000
"""Number of events that exceeds the socket buffers."""


LONG = 30
"""Longest wait of a batch in seconds."""


@pytest.fixture
async def past(fleet: FollowedFleet) -> FollowedFleet:
    for number in range(1, 6):
        fleet.register("horse", f"HRS-{number}")
    fleet.remove("horse", "HRS-3")  # 6
    await fleet.catch_up()
    return fleet


@pytest.fixture
def long_past(past: FollowedFleet) -> FollowedFleet:
    """Many more events, which are copied, because projecting them takes seconds."""
    past.connection.execute(
        "INSERT INTO log.events (notification_id, originator_id, originator_version, topic, state, moment)"
        " SELECT number, originator_id || '-' || number, 1, topic, state, moment"
        " FROM log.events CROSS JOIN generate_series(7, %s) AS number WHERE notification_id = 1",
        (LARGE,),
    )
    columns = "entity, type, moment, changes, public_event"
    past.connection.execute(
        f"INSERT INTO read.revisions (position, entity_id, version, {columns})"  # noqa: S608 - constants
        f" SELECT number, entity_id || '-' || number, 1, {columns}"
        " FROM read.revisions CROSS JOIN generate_series(7, %s) AS number WHERE position = 1",
        (LARGE,),
    )
    past.connection.execute("UPDATE read.positions SET position = %s", (LARGE,))
    past.position = LARGE
    return past


async def blocks(answer: httpx.Response) -> AsyncIterator[dict[str, str]]:
    """Yield the blocks of a stream of server-sent events; comments have an empty name."""
    block: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if line:
            name, _, value = line.partition(":")
            block[name] = value.removeprefix(" ")
        else:
            yield block
            block = {}


async def drained(source: AsyncIterator[object]) -> None:
    async for _ in source:
        pass


async def reported(
    client: httpx.AsyncClient, count: int, query: str = "", **headers: str
) -> list[dict[str, str]]:
    """Return the first events of a new stream."""
    found = []
    async with client.stream("GET", EVENTS + query, headers={**SSE, **headers}) as answer:
        assert answer.status_code == 200, (await answer.aread()).decode()
        async for block in blocks(answer):
            if "data" in block:
                found.append(block)
            if len(found) == count:
                break
    return found


async def test_reconnecting_client_continues_after_its_last_event(
    client: httpx.AsyncClient, past: FollowedFleet
) -> None:
    first = await reported(client, 2, "?after=0")
    rest = await reported(client, 4, "?after=0", **{"Last-Event-ID": first[-1]["id"]})
    events = [json.loads(block["data"]) for block in first + rest]
    assert [block["id"] for block in first + rest] == [event["id"] for event in events]
    assert [block["event"] for block in first + rest] == [event["type"] for event in events]
    assert [int(event["sequence"]) for event in events] == [1, 2, 3, 4, 5, 6]
    assert [block["id"] for block in await reported(client, 1, f"?after={events[4]['id']}")] == [
        events[5]["id"]
    ]


async def test_batch_links_to_the_next_one(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    seen: list[list[int]] = []
    address = f"{EVENTS}?limit=4&type=registered,details_changed"
    while not seen or seen[-1]:
        answer = await client.get(address)
        assert answer.headers["content-type"] == "application/cloudevents-batch+json"
        seen.append([int(event["sequence"]) for event in answer.json()])
        address = answer.links["next"]["url"]
    assert seen == [[1, 2, 3, 4], [5], []]


async def test_heartbeat_reports_the_position_reached(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    log_id = past.log_id
    async with client.stream("GET", f"{EVENTS}?type=horse.moved", headers=SSE) as answer:
        stream = blocks(answer)
        assert await anext(stream) == {"retry": "0", "": "", "id": f"{log_id}:0"}
        assert await anext(stream) == {"": "", "id": f"{log_id}:6"}
        past.register("horse", "HRS-7")
        await past.catch_up()
        async with asyncio.timeout(60):
            while (await anext(stream))["id"] != f"{log_id}:7":
                pass


async def test_stream_can_start_at_the_head(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    async with client.stream("GET", f"{EVENTS}?after=head", headers=SSE) as answer:
        stream = blocks(answer)
        assert (await anext(stream))["id"].endswith(":6")  # the position before the first event
        past.register("horse", "HRS-7")
        await past.catch_up()
        async with asyncio.timeout(60):
            while "data" not in (block := await anext(stream)):
                pass
        assert block["id"].endswith(":7")


@pytest.mark.parametrize("place", ["0" * 32 + ":3", "LOG:7", "LOG:900000000000000000"])
async def test_position_outside_the_log_is_refused(
    client: httpx.AsyncClient, past: FollowedFleet, place: str
) -> None:
    place = place.replace("LOG", past.log_id)
    for query, headers in (("", {"Last-Event-ID": place}), (f"?after={place}", {})):
        answer = await client.get(EVENTS + query, headers={**SSE, **headers})
        assert (answer.status_code, answer.json()["head"]) == (409, 6)
        assert answer.json()["type"] == "urn:fleetlog:problem:not-in-this-log"


@pytest.mark.parametrize("form", ["sse", "ndjson&follow=true"])
async def test_stream_ends_when_its_token_expires(
    origin: str, issuer: TokenIssuer, past: FollowedFleet, form: str
) -> None:
    began = time.time()
    expires = int(began) + 4
    async with client_of(origin, issuer, exp=expires) as client:
        answer = await client.get(f"{EVENTS}?format={form}", timeout=60)  # returns when the stream ends
    assert time.time() > expires - 0.1
    assert answer.text.count("specversion") == 6
    if form == "sse":
        assert answer.text.endswith(": the access token has expired; reconnect with a new one\n\n")


async def test_token_within_the_leeway_is_valid_for_a_stream(
    origin: str, issuer: TokenIssuer, past: FollowedFleet
) -> None:
    async with (
        client_of(origin, issuer, exp=int(time.time()) - 20) as client,
        client.stream("GET", f"{EVENTS}?after=head", headers=SSE) as answer,
    ):
        stream = blocks(answer)
        places = [(await anext(stream))["id"] for _ in range(3)]  # the stream's beginning, and heartbeats
    assert len(set(places)) == 1


@pytest.mark.parametrize("feed_settings", [FeedSettings(stall_seconds=600)], ids=["in no haste"])
async def test_incomplete_lines_are_cut_short(
    origin: str, issuer: TokenIssuer, long_past: FollowedFleet
) -> None:
    async with (
        client_of(origin, issuer, exp=int(time.time()) + 6) as client,
        client.stream("GET", f"{EVENTS}?format=ndjson") as answer,
    ):
        lines = answer.aiter_lines()
        assert json.loads(await anext(lines))["sequence"].endswith("01")
        await wait_until(lambda: streams() == 0)  # the service has ended the stream
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            await drained(lines)


async def test_stalled_reader_is_disconnected_without_effect_on_others(
    origin: str, client: httpx.AsyncClient, long_past: FollowedFleet
) -> None:
    async with client.stream("GET", f"{EVENTS}?format=ndjson") as stuck:
        taken = stuck.aiter_bytes()
        await anext(taken)
        whole = await client.get(f"{EVENTS}?format=ndjson", timeout=60)
        assert whole.text.count("\n") == LARGE  # another reader
        await wait_until(lambda: streams() == 0)  # the service has ended the stream
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            await drained(taken)


async def test_streams_end_at_once_when_the_service_stops(
    database: Database,
    settings_with: Callable[..., ServiceSettings],
    issuer: TokenIssuer,
    past: FollowedFleet,
) -> None:
    settings = settings_with(database=database.query)
    headers = {"Authorization": f"Bearer {issuer.token()}"}
    reading: list[asyncio.Task[httpx.Response]] = []
    async with httpx.AsyncClient(headers=headers, trust_env=False, timeout=60) as client:
        async with serve(build_app(settings, FeedSettings())) as origin:
            for query in ("format=sse", "format=ndjson&follow=true", f"after=head&wait={LONG}"):
                task = asyncio.create_task(client.get(f"{origin}{EVENTS}?{query}"))
                reading.append(task)
            await wait_until(lambda: streams() == 3)
            impatient = asyncio.create_task(client.get(f"{origin}{EVENTS}?after=head&wait={LONG}"))
            await wait_until(lambda: streams() == 4)
            impatient.cancel()  # closes the connection
            await wait_until(lambda: streams() == 3)
            assert not any(task.done() for task in reading)
            began = time.monotonic()
        seconds = time.monotonic() - began
        sse, ndjson, batch = await asyncio.gather(*reading)
    assert seconds < LONG
    assert sse.text.endswith(": the service is stopping; reconnect\n\n")
    assert ndjson.text.count("\n") == 6
    assert batch.json() == []
