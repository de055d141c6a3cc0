"""The feed of the running product: complete and ordered despite interruptions, and without personal data."""

import asyncio
import json
import random
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.marks import PublicWord
from ops.base.records.entities import ENTITY_TYPES
from ops.development.identity_provider.tokens import TokenSigner
from ops.development.identity_provider.users import User
from ops.testing.conditions import wait_until
from ops.testing.faulty_network import FaultyNetwork, network_to
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.fields import ENTITIES
from ops.testing.product.load import load_on
from ops.testing.product.read_tables import head_of, wait_until_caught_up
from ops.testing.soak import suite_and_soak
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration
EVENTS: Final = "/api/v1/events"


@dataclass
class Follower:
    """A client of the feed's server-sent events that reconnects with `Last-Event-ID`.

    Attributes:
        events: the received events.
        streams: the number of opened streams.
    """

    origin: str
    token: str
    events: list[dict[str, Any]] = field(default_factory=list)
    streams: int = 0
    _last: str | None = None

    async def follow(self) -> None:
        async with httpx.AsyncClient(base_url=self.origin, trust_env=False, timeout=60) as client:
            while True:
                with suppress(httpx.TransportError):
                    await self._follow(client)

    @property
    def position(self) -> int:
        return int(self.events[-1]["sequence"]) if self.events else 0

    async def _follow(self, client: httpx.AsyncClient) -> None:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "text/event-stream"}
        if self._last is not None:
            headers["Last-Event-ID"] = self._last
        async with client.stream("GET", EVENTS, headers=headers) as answer:
            if answer.status_code in (502, 503, 504):  # on a loaded machine
                await asyncio.sleep(0.1)
                return
            assert answer.status_code == 200, (await answer.aread()).decode()
            self.streams += 1
            async for block in blocks(answer):
                self._last = block.get("id", self._last)
                if "data" in block:
                    self.events.append(json.loads(block["data"]))


async def blocks(answer: httpx.Response) -> AsyncIterator[dict[str, str]]:
    """Yield the complete blocks of server-sent events (HTML standard, 9.2.6); a comment has an empty name."""
    rest = b""
    async for chunk in answer.aiter_bytes():
        *complete, rest = (rest + chunk).split(b"\n\n")
        for text in complete:
            pairs = (line.partition(":") for line in text.decode().split("\n") if line)
            yield {name: value.removeprefix(" ") for name, _, value in pairs}


async def cut_at_random(network: FaultyNetwork, follower: Follower, cuts: int) -> None:
    """Cut a follower's network at random moments, each time in another stream."""
    opened = 0
    for _ in range(cuts):
        async with asyncio.timeout(180):  # longer than the follower's time-out
            while follower.streams == opened:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.001)
        await asyncio.sleep(random.expovariate(50))
        opened = follower.streams
        random.choice((network.cut, network.reset))()


def log_of(stack: Stack) -> list[tuple[str, str, str]]:
    """Return id, type and entity's id of each event of the log."""
    with psycopg.connect(stack.owner_dsn) as connection:
        return [
            (f"{log_id}:{position}", f"fleetlog.{topic}.v2", originator.partition(":")[2])
            for log_id, position, topic, originator in connection.execute(
                "SELECT head.log_id, notification_id, topic, originator_id"
                " FROM log.events, log.head ORDER BY notification_id"
            )
        ]


def summaries(events: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(event["id"], event["type"], event["subject"]) for event in events]


@pytest.mark.parametrize("cuts", suite_and_soak(15, 1000))
async def test_interrupted_follower_receives_each_event_once(stack: Stack, asha: Actor, cuts: int) -> None:
    port = urlsplit(stack.address).port or 0
    async with network_to("127.0.0.1", port) as (network, way):
        follower = Follower(f"http://127.0.0.1:{way}", stack.token("analyst"))
        following = asyncio.create_task(follower.follow())
        try:
            async with load_on(stack, asha, writers=4):
                await cut_at_random(network, follower, cuts)
            head = await asyncio.to_thread(head_of, stack)
            await wait_until(lambda: follower.position >= head)
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following  # raises its error
    assert summaries(follower.events) == log_of(stack)[: follower.position]


AUDIT = "/api/v1/audit"
SOAK_ROUNDS = 250
# Prefixes of planted values: texts, numbers, dates and trace ids.
MARKS = ("CNRY", ".77777777", "2777-", "c0ffee77")
SHOWN = {
    entity.name: {
        *(name for name, mark in DEFINITIONS[entity.name].public.items() if not isinstance(mark, PublicWord)),
        *(name for name, schema in entity.schema["properties"].items() if "enum" in schema),
    }
    for entity in ENTITY_TYPES
}
"""Fields that accept no planted value, or publish every value."""


def canary() -> str:
    return MARKS[0] + secrets.token_hex(6)


def planted(entity: str) -> dict[str, Any]:
    """Return a body with a canary in every field that is not public."""
    details = usual_body(entity).details.items()
    return {name: value if name in SHOWN[entity] else another(name, value) for name, value in details}


def another(name: str, value: Any) -> Any:
    match value:
        case int() | float():
            return float(f"12{MARKS[1]}{secrets.randbelow(10**5):05}")
        case {"postalCode": _}:
            return {member: canary() for member in value}
        case dict():
            return {canary(): canary()}
        case str() if "expir" in name:
            return f"{MARKS[2]}{1 + secrets.randbelow(12):02}-17"
        case _:
            return canary() + ("@example.org" if name == "email_address" else "")


def headers(**more: str) -> dict[str, str]:
    trace_id, span_id = MARKS[3] + secrets.token_hex(12), MARKS[3] + secrets.token_hex(4)
    return {
        "X-Request-Id": canary(),
        "X-Change-Reason": canary(),
        "Idempotency-Key": canary(),
        "User-Agent": canary(),
        "Cookie": f"{canary()}={canary()}",
        "traceparent": f"00-{trace_id}-{span_id}-01",
        "tracestate": f"x={canary()}",
        **more,
    }


def planted_actor(stack: Stack) -> Actor:
    """Return a user whose token has a canary in every claim that can."""
    signer = TokenSigner.of(stack.record().environments["identity-provider"])
    user = User(f"idp|{canary()}", f"{canary()} {canary()}", "staff", canary(), "#000")
    token = signer.access_token(user, client_id=canary())
    return Actor(user.sub, user.name, token)


def write_one_of_each(client: Client, stack: Stack) -> tuple[Actor, list[str], str]:
    """Register, change and remove an entity of each type; return actor and request ids."""
    actor, requests, named = planted_actor(stack), [], ""
    for entity in ENTITIES:
        sent, path = headers(), PATHS[entity]
        given = {"id": f"SEEN-{secrets.token_hex(6)}"} if entity == "driver" else {}
        made = client.request("POST", path, actor=actor, json=planted(entity) | given, headers=sent)
        assert made.status_code == 201, made.text
        address, named = made.headers["location"], sent["X-Request-Id"]
        record = {"id": address.rpartition("/")[2]} if entity == "driver" else {}
        body = planted(entity) | record
        changed = client.request("PUT", address, actor=actor, json=body, headers=headers())
        assert changed.status_code == 200, changed.text
        removed = client.request("DELETE", address, actor=actor, headers=headers())
        requests += [answer.headers["X-Request-Id"] for answer in (made, changed, removed)]
    return actor, requests, named


def everything_published_to(client: Client, reader: Actor, after: int, head: int) -> Iterator[str]:
    """Yield all events after a position in each format, and their schemas."""
    authorization = {"Authorization": f"Bearer {reader.token}"}
    lines = client.http.get(EVENTS, params={"after": after, "format": "ndjson"}, headers=authorization)
    assert lines.text.count("\n") == head - after
    yield lines.text
    address = f"{EVENTS}?after={after}&format=batch"
    while (batch := client.http.get(address, headers=authorization)).json():
        yield f"{batch.text}{batch.headers}"
        address = batch.links["next"]["url"]
    sse = {**authorization, "Accept": "text/event-stream", "Last-Event-ID": str(after)}
    with client.http.stream("GET", EVENTS, headers=sse) as stream:
        for line in stream.iter_lines():
            yield line
            if line.startswith("id:") and line.endswith(f":{head}"):
                break
    for path in ("/api/v1/schemas", "/api/v1/asyncapi.json"):
        yield client.http.get(path).text


@pytest.mark.parametrize("rounds", suite_and_soak(1, SOAK_ROUNDS))
def test_attacks_find_no_personal_data_in_the_event_stream(
    stack: Stack, client: Client, daniel: Actor, rounds: int
) -> None:
    before = head_of(stack)
    written = [write_one_of_each(client, stack) for _ in range(rounds)]
    wait_until_caught_up(stack)
    head = head_of(stack)
    assert head - before >= 12 * rounds
    exported = [stack.run("events", "export", "--format", form) for form in ("ndjson", "csv")]
    assert [(done.returncode, "SEEN-" in done.stdout) for done in exported] == [(0, True)] * 2
    output = "\n".join(
        [*everything_published_to(client, daniel, before, head), *(done.stdout for done in exported)]
    )
    print(f"\n{head - before} events in {len(output)} characters")
    assert {mark: output.count(mark) for mark in MARKS} == dict.fromkeys(MARKS, 0)

    lines = client.request(
        "GET", EVENTS, actor=daniel, params={"after": before}, headers={"Accept": "application/x-ndjson"}
    )
    events = [json.loads(line)["data"] for line in lines.text.splitlines()]
    (registered, *_) = (event for event in events if event["entity"] == "driver" and "details" in event)
    assert set(DEFINITIONS["driver"].personal) <= set(registered["masked"])
    assert [event["request_id"] for event in events] == [
        one for _, requests, _ in written for one in requests
    ]
    people = [event["actor"]["id"] for event in events]
    assert all(set(people[first : first + 12]) == {people[first]} for first in range(0, 12 * rounds, 12))
    assert len(set(people)) == rounds
    # An auditor can resolve a pseudonym, and find a change by the client's request id.
    actor, requests, named = written[-1]
    resolved = client.request("GET", AUDIT, actor=daniel, params={"actor": people[-1], "limit": 1})
    assert resolved.json()["content"][0]["actor"] == {"sub": actor.sub, "name": actor.name}
    found = client.request("GET", AUDIT, actor=daniel, params={"q": named, "order": "desc", "limit": 1})
    (change,) = found.json()["content"]
    assert (change["client_request_id"], change["request_id"]) == (named, requests[-3])
