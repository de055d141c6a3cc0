"""Waiting for something that tells nobody when it happens."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

PATIENCE_SECONDS: Final = 90.0
"""Ends a wait in vain. However long a machine takes that has a lot else to do, it is less."""


async def wait_until(condition: Callable[[], object], *, seconds: float = PATIENCE_SECONDS) -> float:
    """Poll a condition until it is true; the loop goes on meanwhile.

    Args:
        condition: cheap, and without side effects.
        seconds: how long at most.

    Returns:
        After how many seconds it was true.

    Raises:
        TimeoutError: it did not become true in time.
    """
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - there is no event to await
            await asyncio.sleep(0.01)
    return time.monotonic() - began


def wait_for(condition: Callable[[], object], *, seconds: float = PATIENCE_SECONDS) -> None:
    """Poll a condition, in a test without an event loop, until it is true; see `wait_until`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.01)
