"""Children that are tied to their parent, or have a limit of open files."""

import shutil
import signal
import subprocess
from collections.abc import Mapping
from functools import cache
from typing import IO, Any


def tied_to_parent(command: list[str], end_signal: signal.Signals) -> list[str]:
    """Return a command line whose process gets `end_signal` when the thread that started it ends.

    Without `setpriv` (macOS, small containers) the command is returned unchanged; the next start ends what
    was left behind.
    """
    setpriv = _setpriv()
    if setpriv is None:
        return command
    return [setpriv, "--pdeathsig", end_signal.name.removeprefix("SIG"), "--", *command]


@cache
def _setpriv() -> str | None:
    program = shutil.which("setpriv", path="/usr/bin:/bin")
    if program is None:
        return None
    shown = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)
    return program if "--pdeathsig" in shown.stdout else None


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


def with_open_file_limit(command: list[str], limit: int | None) -> list[str]:
    """Return a command line with a soft limit of open files and connections; None: the parent's limit."""
    if limit is None:
        return command
    return ["/bin/sh", "-c", 'ulimit -S -n "$0" && exec "$@"', str(limit), *command]
