"""Starting and inspecting processes."""

import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

import psutil

from ops.launcher.processes.command_lines import tied_to_parent


def start_process(
    command: list[str],
    environment: Mapping[str, str] | None,
    output: IO[bytes],
    *,
    stop_signal: signal.Signals = signal.SIGTERM,
    **options: Any,
) -> subprocess.Popen[bytes]:
    """Start a program without input, in a session of its own.

    Args:
        command: its command line.
        environment: its variables; None: this process's.
        output: file that takes its output and errors.
        stop_signal: what the program receives when the thread that started it ends.
        options: further arguments of `subprocess.Popen`.
    """
    return subprocess.Popen(
        tied_to_parent(command, stop_signal),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        **options,
    )


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
