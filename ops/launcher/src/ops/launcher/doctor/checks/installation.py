"""Checks of one machine's installation: programs, the port, and remains of killed processes."""

import os
import platform
import shlex
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from ops.launcher.doctor.commands import on_machine
from ops.launcher.doctor.findings import Findings, warning, well, wrong
from ops.launcher.errors import LauncherError
from ops.launcher.gateway.program import find_nginx
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import LAST_PROCESS, read_record
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import named_or_wheel
from ops.launcher.processes.orphans import postmaster, processes_in, recorded_processes
from ops.launcher.processes.ports import is_free

_PROGRAMS: Final = ("postgres", "initdb", "pg_basebackup", "pg_verifybackup", "pg_receivewal")
_VERSION_SECONDS: Final = 4.0
_REINSTALL: Final = "rm -r .venv && ./fleetlog --help"


def python() -> Findings:
    """Report the version of Python; `./fleetlog` itself refuses old ones."""
    yield well(f"Python {platform.python_version()}")


def postgres_programs(cluster: Path) -> Findings:
    """Check PostgreSQL's programs, and that the database's files belong to their major version."""
    folder = named_or_wheel()
    if bad := [name for name in _PROGRAMS if not os.access(folder / name, os.X_OK)]:
        existing = [str(folder / name) for name in bad if (folder / name).exists()]
        command = f"chmod +x {shlex.join(existing)}" if len(existing) == len(bad) else _REINSTALL
        yield wrong(f"{folder} has no executable {', '.join(bad)}", command)
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
    """Check that a user other than root can run PostgreSQL and enter its folder."""
    try:
        account = server_account()
    except LauncherError as error:
        yield wrong(str(error), "sudo useradd --system postgres")
        return
    if cluster.exists() and not account.can_enter(cluster):
        what = f"the user that runs PostgreSQL cannot enter {cluster}"
        yield wrong(what, f"namei -l {shlex.quote(str(cluster))}")


def nginx() -> Findings:
    """Check that nginx can be run."""
    program = find_nginx()
    if os.access(program, os.X_OK):
        yield well(_output(program, "-v") or "nginx")
    else:
        yield warning(f"{program} is not executable", f"chmod +x {shlex.quote(str(program))}")


def _output(program: Path, word: str) -> str:
    try:
        done = subprocess.run(
            [program, word], capture_output=True, text=True, timeout=_VERSION_SECONDS, check=True
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise LauncherError(f"{program} cannot be run: {type(error).__name__}") from None
    return (done.stdout or done.stderr).strip()


def port_to_start_on(port: int, start: str) -> Findings:
    """Check that no other program listens on the gateway's port; `start` is the command of a start."""
    if not all(is_free(port, host) for host in ("127.0.0.1", "::1") if is_free(0, host)):
        what = f"port {port} is in use by {_listener(port)}"
        yield wrong(what, f"ss -ltnp 'sport = :{port}'", f"{start} --port {port + 1}")


def _listener(port: int) -> str:
    with suppress(psutil.Error, OSError):
        for connection in psutil.net_connections("tcp"):
            here = connection.laddr
            if connection.status == psutil.CONN_LISTEN and connection.pid and here and here.port == port:
                return f"{psutil.Process(connection.pid).name()} (process {connection.pid})"
    return "another program"


def leftovers(folder: DataFolder, cluster: Path) -> Findings:
    """Check for processes and files that a killed launcher, restore or backup has left behind."""
    commands, record = on_machine(folder), read_record(folder)
    if (owner := folder.owner()) is not None:
        if record is None or LAST_PROCESS not in record.processes:
            yield warning(f"the launcher (process {owner}) is still starting", f"tail {folder.logs}/*.log")
        elif record.lost_lines:
            yield warning(f"{record.lost_lines} log lines of the launcher could not be written", "df -h")
        else:
            yield well(f"the launcher (process {owner}) runs {len(record.processes)} processes")
        return
    if left := recorded_processes(record):
        pids = ", ".join(str(process.pid) for process in left)
        yield warning(f"a killed launcher has left processes behind: {pids}", commands.stop)
    elif (pid := postmaster(cluster)) is not None and psutil.pid_exists(pid):
        what = f"a server without a launcher works in {cluster} (process {pid})"
        if not processes_in(cluster):
            what = (
                f"{cluster}/postmaster.pid was left behind and names an unrelated process, {pid}; the next"
                " start removes the file"
            )
        yield warning(what, commands.start)
    unfinished = [cluster.with_name(name) for name in ("unfinished", "password", "wal")]
    for path in [*unfinished, *folder.path.glob("*.new"), *folder.audit.glob("*.new")]:
        if path.exists():
            yield warning(f"{path} is an unfinished remainder", f"rm -r {shlex.quote(str(path))}")
