"""Several writers at once."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from ops.testing.product.exchanges import Actor
from ops.testing.product.writer import Acknowledged, Writer
from ops.testing.stack import Stack

_PATIENCE_SECONDS: Final = 60.0

_runs = itertools.count(1)


class Load:
    """Several writers at work, and one more that can be asked to try whether the product is whole."""

    def __init__(self, prober: Writer, shared: str, writers: Sequence[Writer]) -> None:
        """Tell of these writers.

        Args:
            prober: one that does nothing yet.
            shared: address of a location that all change.
            writers: those at work.
        """
        self._prober = prober
        self._shared = shared
        self._writers = [prober, *writers]

    async def see_a_write(self) -> None:
        """Write something and wait until it can be read."""
        await self._prober.see_a_write(self._shared)

    @property
    def acknowledged(self) -> list[Acknowledged]:
        """All commands that were acknowledged so far."""
        return [command for writer in self._writers for command in writer.acknowledged]

    @property
    def stale_reads(self) -> int:
        """How many answers said that they may be old."""
        return sum(writer.stale_reads for writer in self._writers)

    async def wait_for(self, commands: int) -> None:
        """Wait until so many more commands are acknowledged."""
        wanted = len(self.acknowledged) + commands
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while len(self.acknowledged) < wanted:  # noqa: ASYNC110 - the writers need not know of those who wait
                await asyncio.sleep(0.01)


@asynccontextmanager
async def load_on(stack: Stack, actor: Actor, *, writers: int) -> AsyncIterator[Load]:
    """Put load on the product; at the context's end every command that was begun is acknowledged.

    Raises:
        ExceptionGroup: an answer was not what it must be, or a command was never acknowledged.
    """
    run = f"L{next(_runs)}"
    told_to_stop = asyncio.Event()
    async with AsyncExitStack() as connections:
        prober = await connections.enter_async_context(Writer(stack, actor, name=f"{run}.0"))
        shared = await prober.register("location")
        workers = [
            await connections.enter_async_context(Writer(stack, actor, name=f"{run}.{n}", shared=shared))
            for n in range(1, writers + 1)
        ]
        async with asyncio.TaskGroup() as group:
            for worker in workers:
                group.create_task(worker.write_until(told_to_stop))
            try:
                yield Load(prober, shared, workers)
            finally:
                told_to_stop.set()
