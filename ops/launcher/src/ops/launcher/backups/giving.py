"""`python -m ops.launcher.backups.giving`: a cluster out of the backups, as tar, which restores itself.

It is the service `restore` of `compose.yaml`: what it prints is unpacked into the database's empty volume.
Its server replays what was streamed, to its end or to a moment. Seals go back to their empty volume.
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
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.settings import PREFIX
from ops.launcher.backups.folder import Backup, BackupFolder, first_of, latest_below
from ops.launcher.backups.moments import moment_of
from ops.launcher.containers import failing_plainly
from ops.launcher.errors import LauncherError

_WAL: Final = "restored-wal"
_CONFIGURATION: Final = "postgresql.auto.conf"
_SIGNAL: Final = "recovery.signal"


class GivingSettings(BaseSettings):
    """Where backups are, and where seals are to be."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    backups: Path = Field(description="where each log has a folder of backups")
    seals: Path | None = Field(default=None, description="folder that the worker seals in")


def give(folder: BackupFolder, moment: datetime | None, to: BinaryIO, seals: Path | None = None) -> Backup:
    """Write a cluster that recovers when it is started, and bring its seals back.

    Args:
        folder: the backups.
        moment: all that was committed until then, then included, and nothing later; None: all there is.
        to: takes it, as tar; only where all has succeeded, `recovery.signal` is in it.
        seals: where the seals are to be; None: nowhere.

    Raises:
        LauncherError: there is no such backup, or there are seals already.
        OSError: a file cannot be read or written.
    """
    backup = folder.choose(moment)
    if seals is not None and seals.exists() and any(seals.iterdir()):
        raise LauncherError(f"{seals} is not empty: seals are brought back to a new volume")
    configured = backup.cluster / _CONFIGURATION
    settings = configured.read_text("utf-8") if configured.exists() else ""
    target = "" if moment is None else moment.astimezone(UTC).isoformat(" ")
    # The last line for a setting counts, also in copies of what was restored once.
    settings += (
        f'restore_command = \'cp "{_WAL}/%f" "%p"\'\n'
        f"recovery_target_time = '{target}'\nrecovery_target_action = 'promote'\n"
    )
    with tarfile.open(fileobj=to, mode="w|") as archive:
        for path in sorted(backup.cluster.rglob("*")):
            name = str(path.relative_to(backup.cluster))
            if name != _CONFIGURATION:
                archive.add(path, name, recursive=False, filter=_anybodys)
        archive.addfile(*_file(_CONFIGURATION, settings))
        for path, name in folder.streamed(first_of(backup.cluster)):
            archive.add(path, f"{_WAL}/{name}", filter=_anybodys)
        if seals is not None:
            _bring_back(backup, seals)
        archive.addfile(*_file(_SIGNAL, ""))
    return backup


def _bring_back(backup: Backup, seals: Path) -> None:
    kept = backup.path / "audit" / "seals"
    if kept.exists():
        shutil.copytree(kept, seals, dirs_exist_ok=True)


def _anybodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out whose it was: it is to belong to whoever unpacks it."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _file(name: str, text: str) -> tuple[tarfile.TarInfo, BinaryIO]:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(text.encode()), 0o600
    return member, io.BytesIO(text.encode())


def main() -> None:
    """Give a cluster."""
    parser = argparse.ArgumentParser(
        prog="restore", description="Print a cluster that restores itself, as tar."
    )
    parser.add_argument(
        "--to-moment",
        type=moment_of,
        metavar="TIME",
        help="such as 2026-11-22T03:00:00Z: all that was committed until then (default: all there is)",
    )
    parser.add_argument("--log", metavar="ID", help="of which log (default: that was backed up last)")
    wanted = parser.parse_args()
    with failing_plainly("restore"):
        settings = GivingSettings()
        folder = BackupFolder(settings.backups / wanted.log) if wanted.log else latest_below(settings.backups)
        backup = give(folder, wanted.to_moment, sys.stdout.buffer, settings.seals)
    print(f"restore: {backup.path.name}, and what was streamed since", file=sys.stderr)


if __name__ == "__main__":
    main()
