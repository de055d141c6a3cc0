"""Supervision of small programs instead of services."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path

import psutil
import pytest

from ops.launcher.errors import LauncherError
from ops.launcher.instance.record import ProcessRecord
from ops.launcher.processes.backoff import LONGEST_SECONDS
from ops.launcher.processes.spec import ProcessSpec
from ops.launcher.processes.supervisor import Supervisor

STEADY = "open(sys.argv[1], 'w').close(); signal.pause()"
STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN); " + STEADY


class Harness:
    """A supervisor with its folder, its messages and its records."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.messages: list[str] = []
        self.records: dict[str, ProcessRecord] = {}
        self.disk_is_full = False
        self.supervisor = Supervisor(folder, notify=self.messages.append, on_change=self._record)

    def _record(self, records: dict[str, ProcessRecord]) -> None:
        if self.disk_is_full:
            raise OSError(ENOSPC, "No space left on device")
        self.records.update(records)

    def part(
        self,
        name: str,
        program: str,
        *,
        stop_order: int = 0,
        stop_seconds: float = 60,
        longest_pause: float = LONGEST_SECONDS,
        transient_failure: str | None = None,
    ) -> ProcessSpec:
        sign = self.folder / f"{name}.up"
        return ProcessSpec(
            name=name,
            command=[sys.executable, "-c", f"import os, signal, sys; {program}", str(sign)],
            environment={},
            port=0,
            is_ready=sign.exists,
            stop_order=stop_order,
            stop_seconds=stop_seconds,
            longest_pause=longest_pause,
            transient_failure=transient_failure,
        )

    async def until(self, line: str) -> None:
        async with asyncio.timeout(60):
            while not any(line in messages for messages in self.messages):  # noqa: ASYNC110 - a list sets no event
                await asyncio.sleep(0.01)


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncIterator[Harness]:
    harness = Harness(tmp_path)
    yield harness
    await harness.supervisor.stop()


async def test_a_killed_child_is_restarted_and_the_user_is_notified(harness: Harness) -> None:
    await harness.supervisor.start([harness.part("api", STEADY)])
    first = harness.records["api"].pid
    os.kill(first, signal.SIGKILL)
    await harness.until("api is back")
    assert "api was ended by SIGKILL; restarting it (log" in harness.messages[0]
    assert harness.records["api"].pid not in {0, first}
    assert harness.records["api"].state == "ready"


async def test_a_crashing_child_is_restarted_with_delays_up_to_a_limit(harness: Harness) -> None:
    dying = "os.path.exists(sys.argv[1]) and sys.exit(3); " + STEADY
    await harness.supervisor.start([harness.part("api", dying, longest_pause=0.5)])
    os.kill(harness.records["api"].pid, signal.SIGKILL)
    await harness.until("restarting it in 0.5 s")
    slowly = [messages for messages in harness.messages if "restarting it in" in messages]
    assert [messages.partition("restarting it in ")[2].partition(" s")[0] for messages in slowly] == [
        "0.2",
        "0.4",
        "0.5",
    ]
    assert "api ended with status 3" in slowly[0]


async def test_a_failed_start_is_an_error_with_the_last_line_of_the_log(harness: Harness) -> None:
    part = harness.part("api", "print('looking', flush=True); sys.exit('no such database')")
    with pytest.raises(LauncherError, match="api ended with status 1: no such database"):
        await harness.supervisor.start([part])


async def test_a_missing_program_is_an_error(harness: Harness) -> None:
    part = ProcessSpec(name="api", command=["/nonexistent"], environment={}, port=0, is_ready=lambda: False)
    with pytest.raises(LauncherError, match=r"^api "):
        await harness.supervisor.start([part])


async def test_a_transient_failure_at_the_start_is_retried(harness: Harness) -> None:
    once = harness.folder / "tried"
    fail = f"(open({str(once)!r}, 'w').close(), sys.exit('still busy'))"
    program = f"os.path.exists({str(once)!r}) or {fail}; {STEADY}"
    await harness.supervisor.start([harness.part("api", program, transient_failure="still busy")])
    assert harness.records["api"].state == "ready"


async def test_processes_stop_in_order(harness: Harness) -> None:
    diary = harness.folder / "diary"
    parts = []
    for order, name in enumerate(("gateway", "api", "postgres")):
        farewell = f"lambda *_: (open({str(diary)!r}, 'a').write('{name} '), sys.exit())"
        program = f"signal.signal(signal.SIGTERM, {farewell}); {STEADY}"
        parts.append(harness.part(name, program, stop_order=order))
    await harness.supervisor.start(reversed(parts))
    await harness.supervisor.stop()
    assert diary.read_text() == "gateway api postgres "
    assert {record.pid for record in harness.records.values()} == {0}


async def test_a_child_that_ignores_its_stop_signal_is_killed(harness: Harness) -> None:
    await harness.supervisor.start([harness.part("api", STUBBORN, stop_seconds=0.4)])
    process = psutil.Process(harness.records["api"].pid)
    await harness.supervisor.stop()
    assert not process.is_running()
    assert harness.messages == ["api did not end within 0 s and was killed"]


async def test_stopping_while_a_child_waits_to_be_restarted_leaves_it_ended(harness: Harness) -> None:
    dying = "os.path.exists(sys.argv[1]) and sys.exit(3); " + STEADY
    await harness.supervisor.start([harness.part("api", dying)])
    os.kill(harness.records["api"].pid, signal.SIGKILL)
    await harness.until("restarting it in")
    await harness.supervisor.stop()
    assert harness.records["api"].pid == 0
    assert harness.records["api"].state == "stopped"


async def test_the_childrens_output_is_private(harness: Harness) -> None:
    await harness.supervisor.start([harness.part("api", STEADY)])
    assert (harness.folder / "api.log").stat().st_mode & 0o777 == 0o600


async def test_a_child_is_restarted_on_a_full_disk_and_recorded_when_there_is_room(harness: Harness) -> None:
    await harness.supervisor.start([harness.part("api", STEADY)])
    first = harness.records["api"].pid
    harness.disk_is_full = True
    os.kill(first, signal.SIGKILL)
    await harness.until("api is back")
    assert harness.records["api"].pid == first
    harness.disk_is_full = False
    async with asyncio.timeout(60):
        while harness.records["api"].pid == first or harness.records["api"].state != "ready":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert len([messages for messages in harness.messages if "cannot be recorded" in messages]) == 1


async def test_a_failed_readiness_check_is_repeated(harness: Harness) -> None:
    part = harness.part("api", STEADY)
    checks = 0

    def is_ready() -> bool:
        nonlocal checks
        checks += 1
        if checks == 1:
            raise ValueError
        return part.is_ready()

    await harness.supervisor.start([replace(part, is_ready=is_ready)])
    assert harness.records["api"].state == "ready"
