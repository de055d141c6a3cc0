"""The feed of the running product: complete and in order, whatever is cut, and without personal data."""

import asyncio
import json
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from ops.testing.faulty_network import network_to
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.feed import EVENTS, Follower, cut_at_random
from ops.testing.product.fields import FIELDS
from ops.testing.product.load import load_on
from ops.testing.product.whole import head_of
from ops.testing.soak import soak_count
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

SOME_CUTS = 15
SOAK_CUTS = 1000


def log_of(stack: Stack) -> list[tuple[str, str, str]]:
    """Id, type and entity's id of each event, as the log has them."""
    with psycopg.connect(stack.owner_dsn) as connection:
        return [
            (f"{log_id}:{position}", f"fleetlog.{topic}.v2", originator.partition(":")[2])
            for log_id, position, topic, originator in connection.execute(
                "SELECT head.log_id, notification_id, topic, originator_id"
                " FROM log.events, log.head ORDER BY notification_id"
            )
        ]


def output(events: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(event["id"], event["type"], event["subject"]) for event in events]


async def follow_through_cuts(stack: Stack, asha: Actor, cuts: int) -> Follower:
    """Follow from the first event on, by way of the gateway and a bad network, while others write."""
    port = urlsplit(stack.address).port or 0
    async with network_to("127.0.0.1", port) as (network, way):
        follower = Follower(f"http://127.0.0.1:{way}", stack.token("analyst"))
        following = asyncio.create_task(follower.follow())
        try:
            async with load_on(stack, asha, writers=4):
                await cut_at_random(network, follower, cuts)
            await follower.wait_for(await asyncio.to_thread(head_of, stack))
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following  # tells what it could not bear
    return follower


async def test_who_is_cut_and_comes_back_misses_nothing_and_sees_nothing_twice(
    stack: Stack, asha: Actor
) -> None:
    follower = await follow_through_cuts(stack, asha, SOME_CUTS)
    assert output(follower.events) == log_of(stack)[: follower.position]


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_a_thousand_cuts_of_the_feed(stack: Stack, asha: Actor) -> None:
    follower = await follow_through_cuts(stack, asha, soak_count(SOAK_CUTS))
    assert output(follower.events) == log_of(stack)[: follower.position]
    print(f"\n{follower.streams} streams, {follower.position} events: no gap, no repeat")


def plant(client: Client, asha: Actor) -> list[str]:
    """Put a value of its own into each personal field of every entity, and return them."""
    planted: list[str] = []

    def value(usual: Any) -> Any:
        if not isinstance(usual, dict) and (not isinstance(usual, str) or usual[:2] == "20"):
            return usual
        planted.append(f"Planted{len(planted):02}x")
        if isinstance(usual, dict):
            return {planted[-1]: planted[-1]}
        return f"{planted[-1]}@example.com" if "@" in usual else planted[-1]

    for entity, fields in FIELDS.items():
        personal = {name: value(field.usual) for name, field in fields.items() if field.personal}
        address = ""
        for body in (usual_body(entity, **personal), usual_body(entity)):
            sent = body.sending(id="PLANTED-driver").sent if entity == "driver" else body.sent
            method, path = ("PUT", address) if address else ("POST", PATHS[entity])
            answer = client.request(
                method, path, actor=asha, json=sent, headers={"X-Change-Reason": f"{planted[0]} said so"}
            )
            assert answer.is_success, answer.text
            address = address or answer.headers["location"]
    return planted


def test_planted_personal_values_are_found_nowhere_in_the_feed(
    stack: Stack, client: Client, asha: Actor
) -> None:
    planted = plant(client, asha)
    assert len(planted) >= 20
    texts = {
        form: client.request("GET", EVENTS, actor=asha, params={"format": form}).text
        for form in ("ndjson", "batch")
    }
    for form in ("ndjson", "csv"):
        done = stack.run("events", "export", "--format", form)
        assert done.returncode == 0, done.stderr
        texts[f"exported {form}"] = done.stdout
    for name, text in texts.items():
        assert name == "batch" or "PLANTED-driver" in text
        for value in (*planted, asha.name):
            assert value not in text, (name, value)
    events = [json.loads(line) for line in texts["ndjson"].splitlines()]
    of_driver = (event["data"] for event in events if event["subject"] == "PLANTED-driver")
    (registered,) = (data for data in of_driver if "details" in data)
    assert {name for name, field in FIELDS["driver"].items() if field.personal} <= set(registered["masked"])
