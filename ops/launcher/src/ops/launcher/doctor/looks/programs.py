"""The programs that run on a machine of one's own: whether they are there, may be run, and fit the data."""

import os
import platform
import shlex
import subprocess
from pathlib import Path
from typing import Final

from ops.launcher.doctor.findings import Findings, warning, well, wrong
from ops.launcher.errors import LauncherError
from ops.launcher.gateway.program import find_nginx
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import named_or_wheel

_PROGRAMS: Final = ("postgres", "initdb", "pg_basebackup", "pg_verifybackup", "pg_receivewal")
_VERSION_SECONDS: Final = 4.0
_SET_UP: Final = "rm -r .venv && ./fleetlog --help"
"""Installs all of it again."""


def python() -> Findings:
    """Say which Python runs this; `./fleetlog` starts with none that is too old."""
    yield well(f"Python {platform.python_version()}")


def postgres_programs(cluster: Path) -> Findings:
    """Look at PostgreSQL's programs, and at the major version that the database's files belong to."""
    folder = named_or_wheel()
    bad = [name for name in _PROGRAMS if not os.access(folder / name, os.X_OK)]
    if bad:
        there = [str(folder / name) for name in bad if (folder / name).exists()]
        command = f"chmod +x {shlex.join(there)}" if len(there) == len(bad) else _SET_UP
        yield wrong(f"{folder} has no {', '.join(bad)} that can be run", command)
        return
    version = _output(folder / "postgres", "--version").split()[-1]
    file = cluster / "PG_VERSION"
    found = file.read_text().strip() if os.access(file, os.R_OK) else ""
    if found and found != version.split(".")[0]:
        yield wrong(
            f"the data in {cluster} belongs to PostgreSQL {found}, and the programs are {version}",
            f"export FLEETLOG_POSTGRES_BIN=/usr/lib/postgresql/{found}/bin",
        )
    else:
        yield well(f"PostgreSQL {version}")


def postgres_account(cluster: Path) -> Findings:
    """Look at who runs PostgreSQL, which root may not, and whether they can reach what it keeps."""
    try:
        account = server_account()
    except LauncherError as error:
        yield wrong(str(error), "sudo useradd --system postgres")
        return
    if cluster.exists() and not account.can_enter(cluster):
        what = f"the user that runs PostgreSQL cannot enter {cluster}"
        yield wrong(what, f"namei -l {shlex.quote(str(cluster))}")
    else:
        yield well("PostgreSQL has a user to run as")


def nginx() -> Findings:
    """Look at nginx."""
    program = find_nginx()
    if os.access(program, os.X_OK):
        yield well(_output(program, "-v") or "nginx")
    else:
        yield warning(f"{program} may not be run", f"chmod +x {shlex.quote(str(program))}")


def _output(program: Path, word: str) -> str:
    try:
        done = subprocess.run(
            [program, word], capture_output=True, text=True, timeout=_VERSION_SECONDS, check=True
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise LauncherError(f"{program} cannot be run: {type(error).__name__}") from None
    return (done.stdout or done.stderr).strip()
