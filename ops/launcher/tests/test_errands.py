"""Errands: a child's work, its failures, and its end."""

import os
import re
from pathlib import Path

import psutil
import pytest

from ops.launcher.errands import Errands
from ops.launcher.errors import LauncherError


async def test_functions_run_in_one_child_that_ends_with_the_context() -> None:
    async with Errands() as errands:
        child = await errands.run(os.getpid)
        assert child != os.getpid()
        assert await errands.run(os.path.join, "a", "b") == "a/b"
        assert await errands.run(os.getpid) == child
    assert not psutil.pid_exists(child)


async def test_what_it_prints_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    async with Errands() as errands:
        await errands.run(print, "to the user", flush=True)
        assert await errands.run(len, "after") == 5
    assert capfd.readouterr().err == "to the user\n"


async def test_failures_are_passed_on_and_unforeseen_ones_told(capfd: pytest.CaptureFixture[str]) -> None:
    async with Errands() as errands:
        with pytest.raises(FileNotFoundError):
            await errands.run(os.stat, Path("/nowhere"))
        with pytest.raises(LauncherError, match="int failed"):
            await errands.run(int, "no number")
        assert await errands.run(len, "still") == 5
    assert re.search(r"Traceback[^$]*ValueError", capfd.readouterr().err)


async def test_a_child_that_was_killed_is_told() -> None:
    async with Errands() as errands:
        psutil.Process(await errands.run(os.getpid)).kill()
        with pytest.raises(LauncherError, match="was ended"):
            await errands.run(os.getpid)
