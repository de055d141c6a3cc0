"""Children that do not outlive their parent (on Linux), or may have only so many files open."""

import shutil
import signal
import subprocess
from functools import cache


def tied_to_parent(command: list[str], end_signal: signal.Signals) -> list[str]:
    """The command line that runs `command` so that it gets `end_signal` when the thread that started it dies.

    Where `setpriv` is missing (macOS, small containers) the command is returned as it is; what such a death
    leaves behind is then found and ended by the next start.
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


def with_descriptors(command: list[str], most: int | None) -> list[str]:
    """The command line that runs `command` with so many files and connections open at most.

    Args:
        command: its own.
        most: the limit, which the system must allow; None: the parent's.
    """
    if most is None:
        return command
    return ["/bin/sh", "-c", 'ulimit -S -n "$0" && exec "$@"', str(most), *command]
