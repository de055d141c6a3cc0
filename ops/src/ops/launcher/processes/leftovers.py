"""Children that a killed launcher left behind: found by pid and start time, so that no stranger is hit."""

import signal
from collections.abc import Iterable
from pathlib import Path

import psutil

from ops.launcher.instance.record import Record

_TERM_SECONDS = 5.0
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
        if process.status() == psutil.STATUS_ZOMBIE or Path(program).name not in " ".join(process.cmdline()):
            return None
    except psutil.Error:
        return None
    return process


def recorded_processes(record: Record | None) -> list[psutil.Process]:
    """Those children in an instance's record that still run."""
    parts = record.parts.values() if record else ()
    found = (same_process(part.pid, part.started, part.program) for part in parts if part.pid)
    return [process for process in found if process is not None]


def postmaster_of(cluster: Path) -> psutil.Process | None:
    """The PostgreSQL server that still runs on a cluster, as its own pid file tells."""
    try:
        pid = int((cluster / "postmaster.pid").read_text().splitlines()[0])
        process = psutil.Process(pid)
        return process if str(cluster) in process.cmdline() else None
    except (OSError, ValueError, IndexError, psutil.Error):
        return None


def end(processes: Iterable[psutil.Process]) -> None:
    """End processes: politely, then not."""
    remaining = list(processes)
    for process in remaining:
        # on SIGINT PostgreSQL ends its clients' sessions, on SIGTERM it waits for them; the rest knows both
        process.send_signal(signal.SIGINT)
    _, remaining = psutil.wait_procs(remaining, timeout=_TERM_SECONDS)
    for process in remaining:
        process.kill()
    psutil.wait_procs(remaining, timeout=_TERM_SECONDS)
