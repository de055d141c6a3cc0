"""Other people's programs: which one, one at a time where they must be, and in one line how they failed."""

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
    """The program that a setting names, if it does.

    Raises:
        LauncherError: there is no such program.
    """
    named = os.environ.get(setting)
    if not named:
        return None
    found = shutil.which(named)
    if found is None:
        raise LauncherError(f"there is no program {named} ({setting})")
    return Path(found)


def last_line(text: str) -> str:
    """What a program said last, which most often is what went wrong."""
    return (text.strip().splitlines() or ["no message"])[-1]


def run_silently(
    command: Sequence[str | Path],
    failed: str,
    *,
    environment: Mapping[str, str] | None = None,
    **options: Any,
) -> str:
    """Run a program to its end, and return what it printed.

    Args:
        command: its command line.
        failed: what to say if it fails, before the last thing it said.
        environment: its whole environment; None: ours.
        options: of `subprocess.run`.

    Raises:
        LauncherError: it failed.
    """
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise LauncherError(f"{failed}: {last_line(done.stderr or done.stdout)}")
    return str(done.stdout)


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Wait until no other process is in a context with this lock."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
