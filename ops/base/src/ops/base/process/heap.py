"""Returns freed memory to the system, for example after a long list."""

import asyncio
import ctypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from ops.base.process.tasks import running

_EVERY_SECONDS: Final = 5.0


@asynccontextmanager
async def trimmed() -> AsyncIterator[None]:
    """Return free heap memory to the system every few seconds, within the context.

    glibc keeps free memory below blocks in use. Allocating large blocks by mmap instead would cost zeroing
    each time; `malloc_trim` takes a millisecond or two, in a thread. Other C libraries do not have it.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        yield
        return

    async def trim_regularly() -> None:
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            await asyncio.to_thread(trim, 0)

    async with running(trim_regularly):
        yield
