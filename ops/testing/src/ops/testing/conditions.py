"""Polling for conditions that send no notification."""

import asyncio
import time
from collections.abc import Callable
from inspect import isawaitable
from typing import Final, TypeVar

T = TypeVar("T")

PATIENCE_SECONDS: Final = 90.0
"""The usual limit of a wait: longer than any machine takes that runs other load at the same time."""


async def wait_until(condition: Callable[[], object], *, seconds: float = PATIENCE_SECONDS) -> float:
    """Poll a condition, which may be a coroutine function, until it is true, and return the seconds it took.

    Raises:
        TimeoutError: the condition is still false after `seconds`.
    """
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        while not (await value if isawaitable(value := condition()) else value):  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.01)
    return time.monotonic() - began


def wait_for(
    condition: Callable[[], T],
    *,
    seconds: float = PATIENCE_SECONDS,
    pause: float = 0.01,
    failure: Callable[[], object] = str,
) -> T:
    """Poll a condition until it is true, and return its value.

    Args:
        condition: cheap, and without side effects.
        seconds: the limit.
        pause: seconds between two polls.
        failure: returns the text of the error.

    Raises:
        TimeoutError: the condition is still false after `seconds`.
    """
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(failure())
        time.sleep(pause)
    return value
