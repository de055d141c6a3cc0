"""`python -m ops.launcher.backups.archive`: the service `restore` of `compose.yaml`.

It prints a cluster as a tar archive, to be unpacked into the database's empty volume. The server then replays
the streamed write-ahead log, to its end or to a moment. Seals are copied into their empty volume.
"""

import argparse
import io
import shutil
import sys
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from pydantic import Field

from ops.base.settings import Settings
from ops.launcher.backups.folder import (
    Backup,
    BackupFolder,
    add_moment_argument,
    first_segment,
    latest_below,
)
from ops.launcher.containers import exit_on_error
from ops.launcher.errors import LauncherError

_WAL: Final = "restored-wal"
_CONFIGURATION: Final = "postgresql.auto.conf"
_SIGNAL: Final = "recovery.signal"


class ArchiveSettings(Settings):
    """Settings of the command."""

    backups: Path = Field(description="contains a folder of backups per log")
    seals: Path | None = Field(default=None, description="folder of the worker's seals")


def write_archive(
    folder: BackupFolder, moment: datetime | None, to: BinaryIO, seals: Path | None = None
) -> Backup:
    """Write a cluster that recovers when its server starts, and restore its seals.

    Args:
        moment: the moment to restore to; None: the latest.
        to: receives the archive; `recovery.signal`, its last member, marks it as complete.
        seals: target folder of the seals; None: they are not restored.
    """
    backup = folder.choose(moment)
    if seals is not None and seals.exists() and any(seals.iterdir()):
        raise LauncherError(f"{seals} is not empty: restore seals into a new volume")
    configured = backup.cluster / _CONFIGURATION
    settings = configured.read_text("utf-8") if configured.exists() else ""
    target = "" if moment is None else moment.astimezone(UTC).isoformat(" ")
    # The last line of a setting is effective, also if the cluster was restored before and has such lines.
    settings += (
        f'restore_command = \'cp "{_WAL}/%f" "%p"\'\n'
        f"recovery_target_time = '{target}'\nrecovery_target_action = 'promote'\n"
    )
    with tarfile.open(fileobj=to, mode="w|") as archive:
        for path in sorted(backup.cluster.rglob("*")):
            name = str(path.relative_to(backup.cluster))
            if name != _CONFIGURATION:
                archive.add(path, name, recursive=False, filter=_without_owner)
        archive.addfile(*_file(_CONFIGURATION, settings))
        for path, name in folder.streamed(first_segment(backup.cluster)):
            archive.add(path, f"{_WAL}/{name}", filter=_without_owner)
        saved_seals = backup.path / "audit" / "seals"
        if seals is not None and saved_seals.exists():
            shutil.copytree(saved_seals, seals, dirs_exist_ok=True)
        archive.addfile(*_file(_SIGNAL, ""))
    return backup


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove the owner, so that files belong to the user who unpacks them."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _file(name: str, text: str) -> tuple[tarfile.TarInfo, BinaryIO]:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(text.encode()), 0o600
    return member, io.BytesIO(text.encode())


def main() -> None:
    """Print an archive."""
    parser = argparse.ArgumentParser(
        prog="restore", description="Print a cluster that recovers when its server starts, as tar."
    )
    add_moment_argument(parser)
    parser.add_argument("--log", metavar="ID", help="id of the log (default: of the newest backup)")
    arguments = parser.parse_args()
    with exit_on_error("restore"):
        settings = ArchiveSettings()
        folder = (
            BackupFolder(settings.backups / arguments.log)
            if arguments.log
            else latest_below(settings.backups)
        )
        backup = write_archive(folder, arguments.to_moment, sys.stdout.buffer, settings.seals)
    print(f"restore: {backup.path.name}, with all changes streamed since", file=sys.stderr)


if __name__ == "__main__":
    main()
