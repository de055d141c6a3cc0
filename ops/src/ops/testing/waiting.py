"""Waiting for something that tells nobody when it happens."""

import asyncio
import time
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


def wait_for(condition: Callable[[], object], *, seconds: float = 10) -> None:
    """Poll a condition, in a test without an event loop, until it is true; see `wait_until`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.005)
