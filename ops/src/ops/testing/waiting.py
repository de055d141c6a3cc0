"""Waiting for something that tells nobody when it happens."""

import asyncio
from collections.abc import Callable


async def wait_until(condition: Callable[[], object], *, seconds: float = 10) -> None:
    """Poll a condition until it is true.

    Args:
        condition: cheap, and without side effects.
        seconds: how long at most.

    Raises:
        TimeoutError: it did not become true in time.
    """
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - there is no event to await
            await asyncio.sleep(0.005)
