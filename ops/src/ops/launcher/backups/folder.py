"""A folder of backups: whole copies, and the write-ahead log, which leads from one to any moment after it.

    backup-20261122T010203Z/    a copy: manifest.json, cluster/, audit/, identity-provider/, secrets.json …
    wal/                        the write-ahead log, as it is streamed while the instance runs

Everything in it is private: it holds passwords, the sealing key and all data.
"""

import re
import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import AwareDatetime, BaseModel, ValidationError

from ops.launcher.errors import LauncherError

PARTIAL: Final = ".partial"
"""What the name of a segment ends with that is still being streamed."""
_SEGMENT: Final = re.compile(r"[0-9A-F]{8}([0-9A-F]{8})000000([0-9A-F]{2})(\.partial)?")
_PER_FILE: Final = 256
_START: Final = re.compile(r"^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)$", re.MULTILINE)
MANIFEST: Final = "manifest.json"
CLUSTER: Final = "cluster"
_PREFIX: Final = "backup-"


def number_of(path: Path) -> int | None:
    """Return a segment's place in the log, whatever its timeline; None: the file is no segment.

    Segments have 16 MB, as servers have that were made by us.
    """
    match = _SEGMENT.fullmatch(path.name)
    return int(match[1], 16) * _PER_FILE + int(match[2], 16) if match else None


def first_of(cluster: Path) -> int:
    """Return the first segment that the copy of a cluster needs.

    Raises:
        OSError: it is no such copy.
    """
    match = _START.search((cluster / "backup_label").read_text("utf-8"))
    number = number_of(Path(match[1])) if match else None
    return number or 0


def has_gap(folders: Iterable[Path], *, first: int) -> bool:
    """Whether a segment is missing in some folders between the first that is needed and the last there is."""
    numbers = {number_of(path) for folder in folders for path in folder.glob("*")}
    wanted = sorted(number for number in numbers if number is not None and number >= first)
    return wanted != list(range(first, first + len(wanted)))


class Manifest(BaseModel):
    """What one backup is.

    Attributes:
        log_id: of which log.
        position: the log's head when it was finished, at least.
        finished: when; it can be restored to this moment and later ones.
        postgres: the server's major version.
    """

    log_id: str
    position: int
    finished: AwareDatetime
    postgres: str


class Backup:
    """One backup.

    Attributes:
        path: its folder.
        manifest: what it is.
    """

    def __init__(self, path: Path) -> None:
        """Look at a backup's folder.

        Raises:
            LauncherError: it is none.
        """
        self.path = path
        try:
            self.manifest = Manifest.model_validate_json((path / MANIFEST).read_text("utf-8"))
        except (OSError, ValueError, ValidationError):
            raise LauncherError(f"{path} is not a backup, or not a whole one") from None

    @property
    def cluster(self) -> Path:
        """The copy of the database's cluster."""
        return self.path / CLUSTER


class BackupFolder:
    """A folder of backups of one log.

    Attributes:
        path: the folder.
        wal: where the write-ahead log is streamed to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.wal = self.path / "wal"

    def create(self) -> None:
        """Make the folder if it is not there.

        Raises:
            OSError: that is not possible.
        """
        if not self.path.is_dir():
            self.path.mkdir(parents=True, mode=0o700)
        self.wal.mkdir(mode=0o700, exist_ok=True)

    def backups(self) -> list[Backup]:
        """Return the whole backups that are there, the oldest first."""
        paths = sorted(self.path.glob(f"{_PREFIX}*Z"))
        return sorted((Backup(path) for path in paths), key=lambda one: one.manifest.finished)

    def new(self, moment: datetime) -> Path:
        """Return the folder of a backup that is begun at a moment."""
        return self.path / f"{_PREFIX}{moment:%Y%m%dT%H%M%S}Z"

    def require_log(self, log_id: str) -> None:
        """See that the folder holds nothing of another log, with which this one shares positions, maybe.

        Raises:
            LauncherError: it does.
        """
        if any(backup.manifest.log_id != log_id for backup in self.backups()):
            raise LauncherError(
                f"{self.path} holds backups of another log, such as of the time before a restore:"
                " name a new folder"
            )

    def keep_only(self, number: int) -> None:
        """Remove all but the newest backups, and what none of those needs of the write-ahead log.

        Args:
            number: of backups to keep, at least one.
        """
        backups = self.backups()
        for backup in backups[:-number]:
            shutil.rmtree(backup.path)
        first = first_of(backups[-number:][0].cluster)
        for path in self.wal.glob("*"):
            segment = number_of(path)
            if segment is not None and segment < first:
                path.unlink()

    def choose(self, moment: datetime | None) -> Backup:
        """Return the backup to begin with, to come to a moment or, without one, to the end.

        Raises:
            LauncherError: there is none.
        """
        backups = self.backups()
        if not backups:
            raise LauncherError(f"{self.path} holds no whole backup")
        early_enough = [one for one in backups if moment is None or one.manifest.finished <= moment]
        if not early_enough:
            first = backups[0].manifest.finished
            raise LauncherError(f"the first backup was finished at {first.isoformat()}, after that moment")
        return early_enough[-1]
