"""Processes that a killed launcher left behind, identified by pid and start time."""

import contextlib
import signal
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

from ops.launcher.instance.record import InstanceRecord

_STOP_SECONDS = 5.0
_CLOCK_TOLERANCE_SECONDS = 2.0


def find_process(pid: int, started: float, program: str) -> psutil.Process | None:
    """Return the recorded process if it still runs, and not another process that got its pid later.

    Args:
        started: the start time in seconds since the epoch.
        program: path of a program whose name the command line contains.
    """
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        if (
            abs(process.create_time() - started) <= _CLOCK_TOLERANCE_SECONDS
            and _is_running(process)
            and Path(program).name in " ".join(process.cmdline())
        ):
            return process
    return None


def recorded_processes(record: InstanceRecord | None) -> list[psutil.Process]:
    """Return the processes of a `running.json` that still run."""
    processes = record.processes.values() if record else ()
    found = (find_process(one.pid, one.started, one.program) for one in processes if one.pid)
    return [process for process in found if process is not None]


def clear_cluster(cluster: Path) -> None:
    """End the processes of a killed PostgreSQL server, so that the next one can start.

    PostgreSQL's processes work in the data directory, which identifies them. A pid in `postmaster.pid` that
    is still in use afterwards belongs to an unrelated process (or to an unreaped one, as in a container
    without an init), and would prevent every start, so the file is removed. PostgreSQL's other interlock,
    the shared memory of the directory, remains.

    Args:
        cluster: the server's data directory, which this launcher has locked.
    """
    if (pid := postmaster(cluster)) is None:
        return
    terminate(processes_in(cluster))
    if psutil.pid_exists(pid):
        (cluster / "postmaster.pid").unlink(missing_ok=True)


def postmaster(cluster: Path) -> int | None:
    """Return the process id in a cluster's `postmaster.pid`, if any."""
    try:
        return int((cluster / "postmaster.pid").read_text().splitlines()[0])
    except (OSError, ValueError, IndexError):
        return None


def processes_in(folder: Path) -> list[psutil.Process]:
    """Return the processes whose working directory is the folder."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.cwd() == str(folder):
                found.append(process)
    return found


def terminate(processes: Iterable[psutil.Process]) -> None:
    """End processes by SIGINT, and those that still run after five seconds by SIGKILL."""
    remaining = list(processes)
    # On SIGINT PostgreSQL ends its clients' sessions; on SIGTERM it would wait for them.
    for number in (signal.SIGINT, signal.SIGKILL):
        for process in remaining:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        deadline = time.monotonic() + _STOP_SECONDS
        while (remaining := [one for one in remaining if _is_running(one)]) and time.monotonic() < deadline:
            time.sleep(0.02)


def _is_running(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
