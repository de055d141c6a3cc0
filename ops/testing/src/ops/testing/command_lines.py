"""What processes were started with."""

from __future__ import annotations

from contextlib import suppress

import psutil


def command_lines_below(pid: int, *, recursive: bool = False) -> dict[int, str]:
    """The command lines of a process's children by their pids; of those that end meanwhile none.

    Args:
        pid: the process.
        recursive: whether the children's own are told, too.
    """
    lines = {}
    for child in psutil.Process(pid).children(recursive=recursive):
        with suppress(psutil.NoSuchProcess):
            lines[child.pid] = " ".join(child.cmdline())
    return lines
