"""Things to run side by side, whose output can still be read."""

import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

_LINES_KEPT: Final = 120


@dataclass(frozen=True)
class _Lane:
    name: str
    last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES_KEPT))


_lane: ContextVar[_Lane | None] = ContextVar("lane", default=None)
_printing = threading.Lock()

Result = TypeVar("Result")


def say(line: str) -> None:
    """Tell the user a line, before what a program prints next."""
    _show(f"fleetlog: {line}")


def run_shown(
    command: Sequence[str], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> int:
    """Run a program, show what it prints, and return its exit status.

    In a lane each line begins with the lane's name, and only whole lines are shown.

    Args:
        command: its command line.
        cwd: where it runs; None: here.
        environment: its whole environment; None: ours.
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
        assert program.stdout is not None  # noqa: S101 - it was asked for
        for line in program.stdout:
            _show(line.rstrip("\n"))
    return program.returncode


def last_lines() -> list[str]:
    """What this lane has shown last; nothing outside a lane."""
    lane = _lane.get()
    return list(lane.last_lines) if lane else []


def side_by_side(work: Mapping[str, Callable[[], Result]], *, at_once: int) -> list[Result]:
    """Do several things, each in a lane of its own, and return the results in their order.

    Args:
        work: what there is to do, by the names that its lines are to begin with. It is begun in this order.
        at_once: how many are done at the same time; one by one, lines need no name.
    """
    if min(len(work), at_once) < 2:
        return [one() for one in work.values()]

    def do(name: str, one: Callable[[], Result]) -> Result:
        _lane.set(_Lane(name))  # of this thread, until its next thing to do
        return one()

    with ThreadPoolExecutor(at_once) as threads:
        return list(threads.map(do, work.keys(), work.values()))


def _show(line: str) -> None:
    lane = _lane.get()
    if lane:
        lane.last_lines.append(line)
        line = f"{lane.name:<11} | {line}"
    with _printing:
        print(line, flush=True)
