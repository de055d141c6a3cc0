"""The startup worker: results, failures, and its end."""

import os
import re
from pathlib import Path

import psutil
import pytest

from ops.launcher.errors import LauncherError
from ops.launcher.startup_worker import StartupWorker


async def test_functions_run_in_one_child_until_the_context_ends() -> None:
    with StartupWorker() as worker:
        child = await worker.run("os:getpid")
        assert child != os.getpid()
        assert await worker.run("os.path:join", "a", "b") == "a/b"
        assert await worker.run("os:getpid") == child
    assert not psutil.pid_exists(child)


async def test_printed_text_is_not_a_result(capfd: pytest.CaptureFixture[str]) -> None:
    with StartupWorker() as worker:
        await worker.run("builtins:print", "to the user", flush=True)
        assert await worker.run("builtins:len", "after") == 5
    assert capfd.readouterr().err == "to the user\n"


async def test_expected_failures_are_raised_and_unexpected_ones_printed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with StartupWorker() as worker:
        with pytest.raises(FileNotFoundError):
            await worker.run("os:stat", Path("/nowhere"))
        with pytest.raises(LauncherError, match="builtins:int failed"):
            await worker.run("builtins:int", "no number")
        assert await worker.run("builtins:len", "still") == 5
    assert re.search(r"Traceback[^$]*ValueError", capfd.readouterr().err)


async def test_a_killed_worker_is_reported() -> None:
    with StartupWorker() as worker:
        psutil.Process(await worker.run("os:getpid")).kill()
        with pytest.raises(LauncherError, match="was ended"):
            await worker.run("os:getpid")
