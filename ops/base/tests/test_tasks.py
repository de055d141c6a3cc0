"""Work beside a context ends with it."""

import asyncio

import pytest

from ops.base.tasks import running


async def test_work_ends_with_its_context_also_where_a_cancellation_was_lost() -> None:
    lost = 0

    async def bears_errors() -> None:
        nonlocal lost
        while lost < 2:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                lost += 1  # as where a connection's error takes its place
        await asyncio.sleep(3600)

    async def fails() -> None:
        raise ValueError

    async def goes_on() -> None:
        await asyncio.sleep(3600)

    async with asyncio.timeout(60), running(bears_errors(), fails(), goes_on(), again_seconds=0.01):
        await asyncio.sleep(0)
    assert lost == 2


async def test_what_fails_in_the_context_is_raised_when_the_work_has_ended() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    async def fails_beside_it() -> None:
        async with running(work()):
            await asyncio.sleep(0)
            raise KeyError

    with pytest.raises(KeyError):
        await fails_beside_it()
    assert ended.is_set()


async def test_a_context_without_work_ends_at_once() -> None:
    async with running():
        pass
