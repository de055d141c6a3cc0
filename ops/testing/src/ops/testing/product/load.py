"""Several writers at once."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from ops.testing.product.exchanges import Actor
from ops.testing.product.history import History
from ops.testing.product.running import RunningProduct
from ops.testing.product.writer import Writer

_PATIENCE_SECONDS: Final = 60.0

_runs = itertools.count(1)


class Load:
    """Several writers at work, and one more that can be asked to try whether the product is whole.

    Attributes:
        history: what they do and are told.
    """

    def __init__(self, history: History, prober: Writer, shared: str) -> None:
        """Tell of these writers.

        Args:
            history: where they take down what they do.
            prober: one that does nothing yet.
            shared: address of a location that all change.
        """
        self.history = history
        self._prober = prober
        self._shared = shared

    async def see_a_write(self) -> None:
        """Write something and wait until it can be read."""
        await self._prober.see_a_write(self._shared)

    async def wait_for(self, commands: int) -> None:
        """Wait until so many more commands are acknowledged.

        Raises:
            TimeoutError: none is acknowledged any more.
        """
        wanted = self.history.acknowledged + commands
        while (acknowledged := self.history.acknowledged) < wanted:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                while self.history.acknowledged == acknowledged:  # noqa: ASYNC110 - the writers need not know of those who wait
                    await asyncio.sleep(0.01)


@asynccontextmanager
async def load_on(
    product: RunningProduct, actor: Actor, *, writers: int, attempt_seconds: float = 10.0
) -> AsyncIterator[Load]:
    """Put load on the product; at the context's end it is known what came of every command that was begun.

    Args:
        product: the running product.
        actor: who the writers sign in as.
        writers: how many there are.
        attempt_seconds: how long they wait for an answer before they ask again.

    Raises:
        ExceptionGroup: an answer was not what it must be, or what came of a command never became known.
    """
    run = f"L{next(_runs)}"
    history = History()
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
