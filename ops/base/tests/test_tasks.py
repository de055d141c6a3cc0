"""Background work ends with its context."""

import asyncio
import logging

import pytest

from ops.base.process.tasks import failures, running, supervised


async def test_work_ends_after_a_lost_cancellation() -> None:
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

    async with asyncio.timeout(60), running(bears_errors, fails, goes_on, again_seconds=0.01):
        await asyncio.sleep(0)
    assert lost == 2


async def test_error_in_the_context_is_raised_after_the_work() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    async def fails_beside_it() -> None:
        async with running(work):
            await asyncio.sleep(0)
            raise KeyError

    with pytest.raises(KeyError):
        await fails_beside_it()
    assert ended.is_set()


async def test_a_context_without_work_ends_at_once() -> None:
    async with running():
        pass


async def test_failed_work_runs_again_and_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    runs, personal = 0, "Asha Menon"
    works_again = asyncio.Event()

    async def fails_at_first() -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            raise ValueError(personal)
        if runs == 2:
            raise asyncio.CancelledError  # as if another task had cancelled an awaited future
        works_again.set()
        await asyncio.sleep(3600)

    with caplog.at_level(logging.ERROR, "ops.base.process.tasks"):
        async with asyncio.timeout(60), running(fails_at_first):
            await works_again.wait()
    (name,) = [name for name in failures() if "fails_at_first" in name]
    assert failures()[name] == "CancelledError"
    assert f"{name} failed: ValueError" in caplog.text
    assert personal not in caplog.text


async def test_an_error_of_work_that_is_being_cancelled_ends_it() -> None:
    runs = 0

    async def fails_at_its_end() -> None:
        nonlocal runs
        runs += 1
        try:
            await asyncio.sleep(3600)
        finally:
            raise OSError

    async with asyncio.timeout(60), running(fails_at_its_end):
        await asyncio.sleep(0)
    assert runs == 1


async def test_a_fatal_error_is_raised_and_a_return_ends_the_work() -> None:
    async def fails() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        await supervised(fails, fatal=(KeyError,))
    await supervised(lambda: asyncio.sleep(0))
