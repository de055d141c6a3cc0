"""Services return free memory to the system."""

import ctypes

import psutil
import pytest

from ops.base.process import heap
from ops.testing.conditions import wait_until

MEGABYTE = 1_000_000


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="of glibc alone")
async def test_free_memory_is_returned_to_the_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(heap, "_EVERY_SECONDS", 0.01)
    process = psutil.Process()
    # Of a size that comes from glibc's heap, and not from blocks of their own.
    blocks = [bytes(20_000) for _ in range(5_000)]
    last = blocks[-1]
    full = process.memory_info().rss
    del blocks
    async with heap.trimmed():
        await wait_until(lambda: process.memory_info().rss < full - 60 * MEGABYTE)
    assert len(last) == 20_000
