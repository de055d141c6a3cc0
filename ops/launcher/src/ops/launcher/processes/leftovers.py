"""Children that a killed launcher left behind: found by pid and start time, so that no stranger is hit."""

import contextlib
import signal
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

from ops.launcher.instance.record import Record

_END_SECONDS = 5.0
_CLOCK_TOLERANCE_SECONDS = 2.0


def same_process(pid: int, started: float, program: str) -> psutil.Process | None:
    """The process that was recorded, if it still runs.

    Args:
        pid: its process id.
        started: when it began, in seconds since the epoch; a pid used again began at another time.
        program: first word of its command line, or a part of it where setproctitle-like renaming is usual.
    """
    try:
        process = psutil.Process(pid)
        if abs(process.create_time() - started) > _CLOCK_TOLERANCE_SECONDS:
            return None
        if not _lives(process) or Path(program).name not in " ".join(process.cmdline()):
            return None
    except psutil.Error:
        return None
    return process


def recorded_processes(record: Record | None) -> list[psutil.Process]:
    """Those children in an instance's record that still run."""
    parts = record.parts.values() if record else ()
    found = (same_process(part.pid, part.started, part.program) for part in parts if part.pid)
    return [process for process in found if process is not None]


def clear_cluster(cluster: Path) -> None:
    """End what a killed server left on its cluster, so that the next one starts.

    The server works inside its data directory, and so do its children, which is how they are known. A pid
    file that then still names a process names a stranger (or a dead process that nobody has waited for, as in
    a container without an init), and PostgreSQL would refuse to start for ever. Its other interlock, the
    shared memory that belongs to the directory, stays.

    Args:
        cluster: the server's data directory, on which no launcher but this one works.
    """
    if (pid := postmaster(cluster)) is None:
        return
    end(working_in(cluster))
    if psutil.pid_exists(pid):
        (cluster / "postmaster.pid").unlink(missing_ok=True)


def postmaster(cluster: Path) -> int | None:
    """Return the process that a cluster's pid file names, if there is one."""
    try:
        return int((cluster / "postmaster.pid").read_text().splitlines()[0])
    except (OSError, ValueError, IndexError):
        return None


def working_in(folder: Path) -> list[psutil.Process]:
    """The processes whose current folder it is."""
    return [process for process in psutil.process_iter() if _works_in(process, folder)]


def _works_in(process: psutil.Process, folder: Path) -> bool:
    try:
        return process.cwd() == str(folder)
    except psutil.Error:
        return False


def end(processes: Iterable[psutil.Process]) -> None:
    """End processes: politely, then not."""
    remaining = list(processes)
    # on SIGINT PostgreSQL ends its clients' sessions, on SIGTERM it waits for them; the rest knows both
    for number in (signal.SIGINT, signal.SIGKILL):
        for process in remaining:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        deadline = time.monotonic() + _END_SECONDS
        while (
            remaining := [process for process in remaining if _lives(process)]
        ) and time.monotonic() < deadline:
            time.sleep(0.02)


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
