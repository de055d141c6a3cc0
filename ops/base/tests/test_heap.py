"""Services collect garbage rarely as a whole, and return free memory to the system."""

import ctypes
import gc

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


def test_objects_of_the_start_are_exempt_from_garbage_collection() -> None:
    thresholds = gc.get_threshold()
    try:
        heap.make_full_collections_rare()
        frozen, collections = gc.get_freeze_count(), gc.get_stats()[2]["collections"]
        records = [[number] for number in range(500_000)]  # ten full collections with Python's defaults
        assert frozen > 10_000
        assert gc.get_stats()[2]["collections"] == collections
        assert len(records) == 500_000
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
