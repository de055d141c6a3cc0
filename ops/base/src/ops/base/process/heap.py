"""Giving memory back that was needed once, such as for a long list."""

import asyncio
import ctypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from ops.base.process.tasks import running

_EVERY_SECONDS: Final = 5.0


@asynccontextmanager
async def trimmed() -> AsyncIterator[None]:
    """Give the system back what is free in this process's heap, every few seconds, while the context lasts.

    glibc keeps what lies below anything that is still in use. To have it hand out large blocks one by one
    would cost each of them the time in which the system fills it with zeros; this takes a millisecond or two,
    in a thread. Where the C library knows no such thing, nothing is done.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        yield
        return

    async def trim_again_and_again() -> None:
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            await asyncio.to_thread(trim, 0)

    async with running(trim_again_and_again):
        yield
