"""External programs: selection, execution and mutual exclusion."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ops.launcher.errors import LauncherError


def named_program(setting: str) -> Path | None:
    """Return the program that an environment variable names, if it is set."""
    named = os.environ.get(setting)
    if not named:
        return None
    found = shutil.which(named)
    if found is None:
        raise LauncherError(f"there is no program {named} ({setting})")
    return Path(found)


def last_line(text: str) -> str:
    """Return the last line of a program's output, which usually names the error."""
    return (text.strip().splitlines() or ["no message"])[-1]


def run_silently(
    command: Sequence[str | Path],
    failed: str,
    *,
    environment: Mapping[str, str] | None = None,
    **options: Any,
) -> str:
    """Run a program and return its output.

    Args:
        failed: begins the error message; the last line of the output follows.
        environment: the complete environment; None: this process's.
        options: of `subprocess.run`.
    """
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise LauncherError(f"{failed}: {last_line(done.stderr or done.stdout)}")
    return str(done.stdout)


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Wait for other processes that hold this lock file, then hold it during the context."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
