"""Reading the feed of a running product, also over a network that is cut."""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from ops.testing.faulty_network import FaultyNetwork
from ops.testing.product.client import Client
from ops.testing.product.exchanges import Actor
from ops.testing.waiting import PATIENCE_SECONDS

EVENTS: Final = "/api/v1/events"
AWAY: Final = frozenset({502, 503, 504})


@dataclass
class Follower:
    """Follows the feed as server-sent events, and comes back with `Last-Event-ID` whenever it is cut.

    Attributes:
        origin: where the feed answers.
        token: an access token.
        events: what it has seen.
        streams: how many streams it has opened.
    """

    origin: str
    token: str
    events: list[dict[str, Any]] = field(default_factory=list)
    streams: int = 0
    _last: str | None = None

    async def follow(self) -> None:
        """Follow, for ever."""
        async with httpx.AsyncClient(base_url=self.origin, trust_env=False, timeout=60) as client:
            while True:
                with suppress(httpx.TransportError):
                    await self._follow(client)

    @property
    def position(self) -> int:
        """Of the last event that it has seen."""
        return int(self.events[-1]["sequence"]) if self.events else 0

    async def wait_for(self, position: int, *, seconds: float = 60) -> None:
        """Wait until it has seen so far."""
        async with asyncio.timeout(seconds):
            while self.position < position:  # noqa: ASYNC110 - it need not know of those who wait
                await asyncio.sleep(0.01)

    async def _follow(self, client: httpx.AsyncClient) -> None:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "text/event-stream"}
        if self._last is not None:
            headers["Last-Event-ID"] = self._last
        async with client.stream("GET", EVENTS, headers=headers) as answer:
            if answer.status_code in AWAY:  # a machine that is busy with others
                await asyncio.sleep(0.1)
                return
            assert answer.status_code == 200, (await answer.aread()).decode()
            self.streams += 1
            async for block in blocks(answer):
                self._last = block.get("id", self._last)
                if "data" in block:
                    self.events.append(json.loads(block["data"]))


def wait_until_published(client: Client, actor: Actor, subject: str) -> None:
    """Wait until the feed has an event of a subject, for readers who know of no position to wait for.

    Raises:
        TimeoutError: it has none.
    """
    address = f"{EVENTS}?after=0&limit=500&wait=20"
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        batch = client.request("GET", address, actor=actor)
        if any(event["subject"] == subject for event in batch.raise_for_status().json()):
            return
        address = batch.links["next"]["url"]
    raise TimeoutError(f"the feed has no event of {subject}")


async def blocks(answer: httpx.Response) -> AsyncIterator[dict[str, str]]:
    """What a stream of server-sent events consists of; a comment is the member with the empty name.

    A block that is not whole is none (HTML standard, section 9.2.6).
    """
    rest = b""
    async for chunk in answer.aiter_bytes():
        *whole, rest = (rest + chunk).split(b"\n\n")
        for text in whole:
            pairs = (line.partition(":") for line in text.decode().split("\n") if line)
            yield {name: value.removeprefix(" ") for name, _, value in pairs}


async def cut_at_random(network: FaultyNetwork, follower: Follower, cuts: int) -> None:
    """Cut a follower's network so many times, each time in another stream, at any moment of it."""
    opened = 0
    for _ in range(cuts):
        async with asyncio.timeout(180):  # longer than its own patience with a silent connection
            while follower.streams == opened:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.001)
        await asyncio.sleep(random.expovariate(50))
        opened = follower.streams
        random.choice((network.cut, network.reset))()  # noqa: S311 - no secret
