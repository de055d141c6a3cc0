"""What a launcher, a restore or a backup that was killed has left behind."""

import shlex
from pathlib import Path

import psutil

from ops.launcher.doctor.commands import on_machine
from ops.launcher.doctor.findings import Findings, warning, well
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import LAST_PART, read_record
from ops.launcher.processes.leftovers import postmaster, recorded_processes, working_in


def leftovers(folder: DataFolder, cluster: Path) -> Findings:
    """Look for processes and files that nobody looks after; `cluster` is where the database's files are."""
    commands, record = on_machine(folder), read_record(folder)
    if (owner := folder.owner()) is not None:
        if record is None or LAST_PART not in record.parts:
            yield warning(f"the launcher (process {owner}) is still starting", f"tail {folder.logs}/*.log")
        elif record.lost_lines:
            yield warning(f"{record.lost_lines} log lines of the launcher could not be written", "df -h")
        else:
            yield well(f"the launcher (process {owner}) looks after {len(record.parts)} parts")
        return
    bad = []
    if left := recorded_processes(record):
        named = ", ".join(str(process.pid) for process in left)
        bad.append(warning(f"a killed launcher has left processes behind: {named}", commands.stop))
    elif (pid := postmaster(cluster)) is not None and psutil.pid_exists(pid):
        what = f"a server without a launcher works in {cluster} (process {pid})"
        if not working_in(cluster):
            what = (
                f"{cluster}/postmaster.pid was left behind and names a stranger, process {pid}; the next"
                " start takes it away"
            )
        bad.append(warning(what, commands.start))
    unfinished = [cluster.with_name(name) for name in ("unfinished", "password", "wal")]
    unfinished += [*folder.path.glob("*.new"), *folder.audit.glob("*.new")]
    bad += [
        warning(f"{path} was left unfinished", f"rm -r {shlex.quote(str(path))}")
        for path in unfinished
        if path.exists()
    ]
    yield from bad or [well(f"nothing runs on {folder.path}, and nothing was left behind")]
