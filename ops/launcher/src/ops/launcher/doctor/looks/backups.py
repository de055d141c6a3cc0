"""Whether there are backups, how old the last one is, and whether what was streamed leads on from it."""

import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from ops.launcher.backups.folder import PREFIX, UNFINISHED, BackupFolder, first_of, has_gap, latest_below
from ops.launcher.doctor.commands import Commands
from ops.launcher.doctor.findings import Findings, warning, well, wrong
from ops.launcher.errors import LauncherError

OLD: Final = timedelta(hours=30)
"""FleetlogBackupOld."""


def backups(
    path: Path, commands: Commands, *, now: datetime | None = None, of_logs: bool = False
) -> Findings:
    """Look at a folder of backups.

    Args:
        path: the folder.
        commands: of this topology.
        now: the time, if it is another one.
        of_logs: whether each log has a folder of its own below; that which was backed up to last counts.
    """
    now = now or datetime.now(UTC)
    try:
        folder = latest_below(path) if of_logs else BackupFolder(path)
        kept = folder.backups()
    except LauncherError as error:
        yield wrong(str(error), commands.backup)
        return
    if not kept:
        yield wrong(f"{path} holds no backup", commands.backup)
        return
    last = kept[-1]
    age = now - last.manifest.finished
    hours = age.total_seconds() / 3600
    old = f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} days"
    what = f"{last.path.name} is {old} old, the last of {len(kept)}"
    yield warning(what, commands.backup) if age > OLD else well(what)
    if has_gap([last.cluster / "pg_wal", folder.wal], first=first_of(last.cluster)):
        what = "what was streamed since the last backup has a gap: nothing leads over it"
        yield wrong(what, commands.backup)
    for left in folder.path.glob(f"{PREFIX}*{UNFINISHED}"):
        # One that is being taken now was changed a moment ago.
        if now.timestamp() - left.stat().st_mtime > OLD.total_seconds():
            yield warning(f"{left} was left unfinished", f"rm -r {shlex.quote(str(left))}")


def no_backups(*, is_production: bool, how: str) -> Findings:
    """Say that nobody has named a folder of backups, as `how` does, and whether anybody would miss them."""
    what = "no backups are kept here"
    yield warning(what, how) if is_production else well(f"{what}, which a first try can do without")
