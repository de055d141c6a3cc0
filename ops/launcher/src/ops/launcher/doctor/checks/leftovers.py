"""Check of the remains of killed processes."""

import shlex
from pathlib import Path

import psutil

from ops.launcher.doctor.commands import on_machine
from ops.launcher.doctor.findings import Findings, warning, well
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import LAST_PROCESS, read_record
from ops.launcher.processes.orphans import postmaster, processes_in, recorded_processes


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
