"""Tasks that last as long as what they are for."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

AGAIN_SECONDS: Final = 10.0
"""Longer than it takes a server to answer, for which one that is cancelled may wait."""


@asynccontextmanager
async def running(
    *work: Coroutine[Any, Any, Any], again_seconds: float = AGAIN_SECONDS
) -> AsyncIterator[None]:
    """Let work go on beside the context, and cancel it at the context's end.

    Args:
        work: what goes on.
        again_seconds: after which it is cancelled again: where a connection is lost in the very moment, its
            error takes the cancellation's place, and whoever bears such errors goes on.
    """
    tasks = {asyncio.create_task(one) for one in work}
    try:
        yield
    finally:
        while tasks:
            for task in tasks:
                task.cancel()
            ended, tasks = await asyncio.wait(tasks, timeout=again_seconds)
            await asyncio.gather(*ended, return_exceptions=True)
