"""Coalesced reads."""

import asyncio

import pytest

from ops.base.database.shared_reads import MOST_KEYS, SharedReads


class Table:
    """A table whose reads are answered when the test allows it."""

    def __init__(self) -> None:
        self.rows = {"a": 1, "b": 2}
        self.reads: list[list[str]] = []
        self.asked = asyncio.Event()
        self.answer = asyncio.Event()

    async def read(self, keys: list[str]) -> dict[str, int]:
        self.reads.append(keys)
        self.asked.set()
        await self.answer.wait()
        return {key: self.rows[key] for key in keys if key in self.rows}


async def test_concurrent_requests_share_one_read() -> None:
    table = Table()
    shared = SharedReads(table.read)
    table.answer.set()
    found = await asyncio.gather(shared.get("a"), shared.get("b"), shared.get("a"), shared.get("missing"))
    assert list(found) == [1, 2, 1, None]
    assert table.reads == [["a", "b", "missing"]]


async def test_request_during_a_read_gets_the_next_read() -> None:
    table = Table()
    shared = SharedReads(table.read)
    early = asyncio.create_task(shared.get("a"))
    await table.asked.wait()
    late = asyncio.create_task(shared.get("a"))
    await asyncio.sleep(0)
    table.answer.set()
    assert await early == 1
    assert await late == 1
    assert table.reads == [["a"], ["a"]]


async def test_failure_reaches_only_callers_of_the_shared_read() -> None:
    async def read(keys: list[str]) -> dict[str, int]:
        if "bad" in keys:
            raise LookupError("bad")
        return dict.fromkeys(keys, 1)

    shared = SharedReads(read)
    outcomes = await asyncio.gather(shared.get("bad"), shared.get("good"), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [LookupError, LookupError]
    assert await shared.get("good") == 1


async def test_cancelled_caller_does_not_affect_others() -> None:
    table = Table()
    shared = SharedReads(table.read)
    impatient = asyncio.create_task(shared.get("a"))
    patient = asyncio.create_task(shared.get("a"))
    await table.asked.wait()
    impatient.cancel()
    table.answer.set()
    assert await patient == 1
    with pytest.raises(asyncio.CancelledError):
        await impatient


async def test_many_keys_are_read_in_several_statements() -> None:
    table = Table()
    table.answer.set()
    shared = SharedReads(table.read)
    await asyncio.gather(*(shared.get(str(number)) for number in range(2 * MOST_KEYS + 1)))
    assert [len(keys) for keys in table.reads] == [MOST_KEYS, MOST_KEYS, 1]
