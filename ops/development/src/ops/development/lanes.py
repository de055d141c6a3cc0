"""Concurrent programs with readable output: each line begins with the name of its lane."""

import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

_LAST_LINES: Final = 120


@dataclass(frozen=True)
class _Lane:
    name: str
    last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=_LAST_LINES))


_lane: ContextVar[_Lane | None] = ContextVar("lane", default=None)
_printing = threading.Lock()

Result = TypeVar("Result")


def say(line: str) -> None:
    """Print a message at once."""
    _show(f"fleetlog: {line}")


def run_shown(
    command: Sequence[str], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> int:
    """Run a program, show its output, and return its exit status.

    In a lane, complete lines are shown after the lane's name.

    Args:
        cwd: the working directory; None: the current one.
        environment: the complete environment; None: this process's.
    """
    if _lane.get() is None:
        return subprocess.run(command, cwd=cwd, env=environment, check=False).returncode
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as program:
        assert program.stdout is not None  # noqa: S101 - a pipe
        for line in program.stdout:
            _show(line.rstrip("\n"))
    return program.returncode


def last_lines() -> list[str]:
    """Return the last lines of the current lane; none outside a lane."""
    lane = _lane.get()
    return list(lane.last_lines) if lane else []


def run_concurrently(work: Mapping[str, Callable[[], Result]], *, limit: int) -> list[Result]:
    """Call functions in concurrent lanes, and return the results in order.

    Args:
        work: the functions by the names of their lanes, in the order of their start.
        limit: the maximum number of concurrent calls; with 1, output has no names.
    """
    if min(len(work), limit) < 2:
        return [one() for one in work.values()]

    def call(name: str, one: Callable[[], Result]) -> Result:
        _lane.set(_Lane(name))  # for this thread, until its next call
        return one()

    with ThreadPoolExecutor(limit) as threads:
        return list(threads.map(call, work.keys(), work.values()))


def _show(line: str) -> None:
    lane = _lane.get()
    if lane:
        lane.last_lines.append(line)
        line = f"{lane.name:<11} | {line}"
    with _printing:
        print(line, flush=True)
