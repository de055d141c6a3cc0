"""The split topology under load, and whether it came out of it whole."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import httpx
import psycopg

from ops.development.kafka.broker import HOST
from ops.testing.kafka import read_topics
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.fields import ENTITIES
from ops.testing.product.history import History
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.load import Load, load_on
from ops.testing.product.running import RunningProduct
from ops.testing.product.whole import assert_whole, head_of
from ops.testing.split.stack import SplitStack

_PAUSE_SECONDS: Final = 0.02


@dataclass
class Readings:
    """What some readers saw."""

    answered: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    """By status or kind of error."""
    slowest_seconds: float = 0.0


@asynccontextmanager
async def readers_on(product: RunningProduct, actor: Actor, *, readers: int) -> AsyncIterator[Readings]:
    """Let readers ask for one list after the other, and never again for what they were not answered.

    Args:
        product: the running product.
        actor: who they sign in as.
        readers: how many there are.
    """
    readings = Readings()
    stop_requested = asyncio.Event()

    async def read() -> None:
        headers = {"Authorization": f"Bearer {actor.token}"}
        async with httpx.AsyncClient(
            base_url=product.query_address, headers=headers, timeout=30, trust_env=False
        ) as http:
            while not stop_requested.is_set():
                for path in PATHS.values():
                    await _read(http, path, readings)
                    await asyncio.sleep(_PAUSE_SECONDS)

    async with asyncio.TaskGroup() as group:
        for _ in range(readers):
            group.create_task(read())
        try:
            yield readings
        finally:
            stop_requested.set()


async def _read(http: httpx.AsyncClient, path: str, readings: Readings) -> None:
    began = time.monotonic()
    try:
        answer = await http.get(path, params={"page": "0", "size": "20"})
    except httpx.TransportError as error:
        readings.failed[f"{type(error).__name__}: {error}"] += 1
    else:
        if answer.status_code == 200:
            readings.answered += 1
        else:
            readings.failed[str(answer.status_code)] += 1
    readings.slowest_seconds = max(readings.slowest_seconds, time.monotonic() - began)


_WRITERS: Final = 4
_READERS: Final = 2
_RELAYED_SECONDS: Final = 90.0


@dataclass
class Trial:
    """Writers and readers at work, while something happens to what they work on.

    Attributes:
        load: the writers.
        readings: what the readers saw.
        recoveries: after how many seconds all was whole again, by what had happened.
    """

    load: Load
    readings: Readings
    recoveries: dict[str, float] = field(default_factory=dict)

    @property
    def history(self) -> History:
        """What the writers did and were told."""
        return self.load.history

    @property
    def unanswered_commands(self) -> int:
        """How many attempts at commands came to nothing, as far as the client knew."""
        return sum(request.outcome is None for request in self.history.requests)

    @property
    def most_attempts(self) -> int:
        """How often the unluckiest command had to be sent."""
        return max(request.attempt for request in self.history.requests)

    def __str__(self) -> str:
        """Tell the figures."""
        took = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in self.recoveries.items())
        return (
            f"whole again: {took}; {self.history.acknowledged} commands acknowledged, "
            f"{self.unanswered_commands} attempts unanswered, slowest {self.history.slowest_seconds:.1f} s; "
            f"{self.readings.answered} reads, failed {dict(self.readings.failed)}, "
            f"slowest {self.readings.slowest_seconds:.1f} s"
        )


@asynccontextmanager
async def trial_on(stack: SplitStack, actor: Actor) -> AsyncIterator[Trial]:
    """Put load on the product; at the end nothing may be lost or doubled, and all read tables must be right.

    Raises:
        AssertionError: something was lost or doubled, or a read table or a topic is not what the log says.
    """
    before = head_of(stack)
    async with (
        readers_on(stack, actor, readers=_READERS) as readings,
        load_on(stack, actor, writers=_WRITERS) as load,
    ):
        trial = Trial(load, readings)
        await load.wait_for(commands=20)
        yield trial
    assert_consistent(load.history, assert_whole(stack), before=before)
    doubled = await asyncio.to_thread(assert_relayed, stack)
    print(f"\n{trial}; {doubled} events published twice")


def assert_relayed(stack: SplitStack) -> int:
    """Wait until Kafka holds every event of the log.

    Returns:
        How many it holds more than once, which consumers drop by their ids.
    """
    with psycopg.connect(stack.owner_dsn) as connection:
        row = connection.execute("SELECT log_id FROM log.identity").fetchone()
        log_id = str(row[0]) if row else ""
    wanted = {f"{log_id}:{position + 1}" for position in range(head_of(stack))}
    address = f"{HOST}:{stack.engine.addresses.port('kafka')}"
    topics = [f"fleetlog.{entity}.events.v2" for entity in ENTITIES]
    found: Counter[str] = Counter()
    for _ in range(int(_RELAYED_SECONDS)):
        records = read_topics(address, *topics)
        found = Counter(dict(record.headers)["ce_id"].decode() for record in records)
        if found.keys() >= wanted:
            break
    assert found.keys() == wanted, f"{len(wanted - found.keys())} events are missing"
    return found.total() - len(found)
