"""A folder of backups: whole copies, and the write-ahead log, which leads from one to any moment after it.

    backup-20261122T010203Z/    a copy: manifest.json, cluster/, audit/, identity-provider/, secrets.json …
    wal/                        the write-ahead log, as it is streamed while the instance runs

Everything in it is private: it holds passwords, the sealing key and all data.
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import AwareDatetime, BaseModel, ValidationError

from ops.launcher.errors import LauncherError

PARTIAL: Final = ".partial"
"""What the name of a segment ends with that is still being streamed."""
_SEGMENT: Final = re.compile(r"[0-9A-F]{8}([0-9A-F]{8})000000([0-9A-F]{2})(\.partial)?")
_PER_FILE: Final = 256
_SEGMENT_BYTES: Final = 16 * 2**20
_START: Final = re.compile(r"^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)$", re.MULTILINE)
MANIFEST: Final = "manifest.json"
CLUSTER: Final = "cluster"
PREFIX: Final = "backup-"
UNFINISHED: Final = ".unfinished"
"""What the name of a copy ends with that is still being taken, or that somebody was ended over."""


def number_of(path: Path) -> int | None:
    """Return a segment's place in the log, whatever its timeline; None: the file is no segment.

    Segments have 16 MiB, as servers have that were made by us.
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
    numbers = {number_of(path) for folder in folders for path in folder.rglob("*")}
    wanted = sorted(number for number in numbers if number is not None and number >= first)
    return wanted != list(range(first, first + len(wanted)))


def _is_short(path: Path) -> bool:
    """Whether it is a segment without anything: it is made as long as it will be before it is written to."""
    return path.suffix == PARTIAL and path.stat().st_size < _SEGMENT_BYTES


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
    def size(self) -> int:
        """How many bytes it takes."""
        return sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file())

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

    def streamed(self, first: int) -> Iterator[tuple[Path, str]]:
        """Yield the files that were streamed, and the names by which a server asks for them.

        Args:
            first: segment that is wanted.
        """
        for path in sorted(self.wal.rglob("*")):
            number = number_of(path)
            if path.suffix == ".history" or (number is not None and number >= first and not _is_short(path)):
                # A segment that was still being streamed is good up to its last whole record.
                yield path, path.name.removesuffix(PARTIAL)

    def goes_on_from(self, oldest: int) -> bool:
        """See that what is streamed next goes on from what there is, or is set aside, with a gap.

        What streams begins after the last segment that it finds, and ends where the server has that no more.

        Args:
            oldest: segment that the server still has.

        Returns:
            Whether there is no gap.
        """
        numbers = {path: number for path in self.wal.glob("*") if (number := number_of(path)) is not None}
        if not numbers:
            return True
        last = max(numbers, key=lambda path: numbers[path])
        if numbers[last] + (last.suffix != PARTIAL) >= oldest:
            return True
        aside = self.wal / f"until-{last.name.removesuffix(PARTIAL)}"
        aside.mkdir(mode=0o700, exist_ok=True)
        for path in numbers:
            path.rename(aside / path.name)
        return False

    def remove_short(self) -> None:
        """Remove the segments that there was no room to begin: none is streamed while they are there."""
        for path in filter(_is_short, self.wal.glob("*")):
            path.unlink()

    def remove_unfinished(self) -> None:
        """Remove the copies that were not finished, where nobody takes one now."""
        for path in self.path.glob(f"{PREFIX}*{UNFINISHED}"):
            shutil.rmtree(path)

    def backups(self) -> list[Backup]:
        """Return the whole backups that are there, the oldest first."""
        paths = sorted(self.path.glob(f"{PREFIX}*Z"))
        return sorted((Backup(path) for path in paths), key=lambda one: one.manifest.finished)

    def new(self, moment: datetime) -> Path:
        """Return the folder of a backup that is begun at a moment."""
        return self.path / f"{PREFIX}{moment:%Y%m%dT%H%M%S}Z"

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
        for path in self.wal.rglob("*"):
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


def latest_below(path: Path) -> BackupFolder:
    """Return the folder that was backed up to last, where each log has one of its own.

    Args:
        path: the folder of those folders, which bear the logs' names.

    Raises:
        LauncherError: there is no backup, or one is damaged.
    """
    folders = [BackupFolder(one) for one in path.glob("*") if one.is_dir()]
    latest = max(
        ((kept[-1].manifest.finished, each) for each in folders if (kept := each.backups())),
        default=None,
        key=lambda one: one[0],
    )
    if latest is None:
        raise LauncherError(f"{path} holds no backup")
    return latest[1]
