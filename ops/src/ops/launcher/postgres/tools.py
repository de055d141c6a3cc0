"""PostgreSQL's client programs, run against the embedded server."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.postgres.cluster import SUPERUSER
from ops.launcher.programs import last_line


def client_environment(port: int, password: str) -> dict[str, str]:
    """The environment in which a client program reaches the embedded server, as its superuser."""
    return {
        "LC_ALL": "C",
        "PATH": os.defpath,
        "PGHOST": "127.0.0.1",
        "PGPORT": str(port),
        "PGUSER": SUPERUSER,
        "PGPASSWORD": password,
        "PGCONNECT_TIMEOUT": "10",
    }


def run_client(command: Sequence[str | Path], environment: dict[str, str], *, shown: bool = False) -> None:
    """Run a client program to its end.

    Args:
        command: its command line.
        environment: see `client_environment`.
        shown: whether what it tells is shown to the user as it comes, if there is a terminal.

    Raises:
        LauncherError: it failed; the text is the last thing it said.
    """
    on_terminal = shown and sys.stderr.isatty()
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=None if on_terminal else subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise LauncherError(last_line(done.stderr or f"{Path(command[0]).name} failed"))
