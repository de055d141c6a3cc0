"""Starting, killing and inspecting processes."""

from collections.abc import Sequence
from contextlib import suppress

import psutil


def kill_with_children(*pids: int, seconds: float = 60.0) -> None:
    """`kill -9` processes and all below them, as the end of a container or a power cut does, and wait."""
    victims = []
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            root = psutil.Process(pid)
            victims += [root, *root.children(recursive=True)]
    for victim in victims:
        with suppress(psutil.NoSuchProcess):
            victim.kill()
    psutil.wait_procs(victims, timeout=seconds)


def in_background(command: Sequence[str]) -> list[str]:
    """Return the command line that runs a command with Ctrl-C ignored, as a shell does with `&`.

    Children inherit ignored signals, and the suite itself may run in the background. A command that ends on
    an interrupt must handle it all the same.
    """
    return ["/bin/sh", "-c", 'trap "" INT QUIT; exec "$@"', "sh", *command]


def command_lines_below(pid: int, *, recursive: bool = False) -> dict[int, str]:
    """Return the command lines of a process's children by their pids."""
    lines = {}
    for child in psutil.Process(pid).children(recursive=recursive):
        with suppress(psutil.NoSuchProcess):
            lines[child.pid] = " ".join(child.cmdline())
    return lines
