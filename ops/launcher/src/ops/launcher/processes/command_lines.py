"""Command lines that tie a child to its parent, or limit its open files."""

import shutil
import signal
import subprocess
from functools import cache


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


def with_open_file_limit(command: list[str], limit: int | None) -> list[str]:
    """Return a command line with a soft limit of open files and connections; None: the parent's limit."""
    if limit is None:
        return command
    return ["/bin/sh", "-c", 'ulimit -S -n "$0" && exec "$@"', str(limit), *command]
