"""Load by concurrent writers and readers."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import httpx

from ops.testing.product.exchanges import Actor
from ops.testing.product.history import OperationHistory
from ops.testing.product.writer import Writer
from ops.testing.stack import RunningProduct

_PATIENCE_SECONDS: Final = 60.0

_runs = itertools.count(1)


class Load:
    """Running writers, and one more that checks on request whether writes can be read.

    Attributes:
        history: of all writers.
    """

    def __init__(self, history: OperationHistory, prober: Writer, shared: str) -> None:
        self.history = history
        self._prober = prober
        self._shared = shared

    async def see_a_write(self) -> None:
        """Write to the shared location, and wait until that can be read."""
        await self._prober.see_a_write(self._shared)

    async def wait_for(self, commands: int) -> None:
        """Wait until this number of further commands is acknowledged.

        Raises:
            TimeoutError: no command is acknowledged for a minute.
        """
        wanted = self.history.acknowledged + commands
        while (acknowledged := self.history.acknowledged) < wanted:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                while self.history.acknowledged == acknowledged:  # noqa: ASYNC110 - there is no event to await
                    await asyncio.sleep(0.01)


@asynccontextmanager
async def load_on(
    product: RunningProduct, actor: Actor, *, writers: int, attempt_seconds: float = 10.0
) -> AsyncIterator[Load]:
    """Put load on the product until the context's end, at which the outcome of every command is known.

    Args:
        product: the running product.
        actor: the user of all writers.
        writers: the number of writers.
        attempt_seconds: how long a writer waits for an answer before it retries.

    Raises:
        ExceptionGroup: an answer was wrong, or the outcome of a command stayed unknown.
    """
    run = f"L{next(_runs)}"
    history = OperationHistory()
    stop_requested = asyncio.Event()

    def writer(number: int, shared: str | None = None) -> Writer:
        name = f"{run}.{number}"
        return Writer(product, actor, history, name=name, shared=shared, attempt_seconds=attempt_seconds)

    async with AsyncExitStack() as connections:
        prober = await connections.enter_async_context(writer(0))
        shared = await prober.register("location")
        workers = [await connections.enter_async_context(writer(n + 1, shared)) for n in range(writers)]
        async with asyncio.TaskGroup() as group:
            for worker in workers:
                group.create_task(worker.write_until(stop_requested))
            try:
                yield Load(history, prober, shared)
            finally:
                stop_requested.set()


@dataclass
class Readings:
    """The results of readers.

    Attributes:
        answers: time of the monotonic clock, and seconds, of each answer.
        failed: the number of failures by status or error.
        stale: the number of answers marked as stale.
    """

    answers: list[tuple[float, float]] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    stale: int = 0

    def slowest_since(self, moment: float = 0.0) -> float:
        """Return the seconds of the slowest answer since a time of the monotonic clock."""
        return max((seconds for ended, seconds in self.answers if ended >= moment), default=0.0)


@asynccontextmanager
async def readers_on(
    product: RunningProduct, actor: Actor, paths: Sequence[str], *, readers: int, pause: float = 0.0
) -> AsyncIterator[Readings]:
    """Read paths in turn, without retries, until the context's end."""
    readings = Readings()
    stop_requested = asyncio.Event()

    async def read(http: httpx.AsyncClient, path: str) -> None:
        began = time.monotonic()
        try:
            answer = await http.get(path)
        except httpx.TransportError as error:
            readings.failed[f"{type(error).__name__}: {error}"] += 1
        else:
            if answer.status_code != 200:
                readings.failed[str(answer.status_code)] += 1
            readings.stale += "fleetlog-consistency" in answer.headers
        readings.answers.append((time.monotonic(), time.monotonic() - began))

    async def read_until_stopped() -> None:
        headers = {"Authorization": f"Bearer {actor.token}"}
        async with httpx.AsyncClient(
            base_url=product.query_address, headers=headers, timeout=60, trust_env=False
        ) as http:
            while not stop_requested.is_set():
                for path in paths:
                    await read(http, path)
                    await asyncio.sleep(pause)

    async with asyncio.TaskGroup() as group:
        for _ in range(readers):
            group.create_task(read_until_stopped())
        try:
            yield readings
        finally:
            stop_requested.set()
