"""A folder of backups: whole copies, and the write-ahead log, which leads from one to any moment after it.

    backup-20261122T010203Z/    a copy: manifest.json, cluster/, audit/, identity-provider/, secrets.json …
    wal/                        the write-ahead log, as it is streamed while the instance runs

Everything in it is private: it holds passwords, the sealing key and all data.
"""

import shutil
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import AwareDatetime, BaseModel, ValidationError

from ops.launcher.backups.segments import first_of, number_of
from ops.launcher.errors import LauncherError

MANIFEST: Final = "manifest.json"
CLUSTER: Final = "cluster"
_PREFIX: Final = "backup-"


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
