"""A folder of backups: copies of a cluster, and the write-ahead log for every moment after them.

    backup-20261122T010203Z/    a copy: manifest.json, cluster/, audit/, identity-provider/, secrets.json …
    wal/                        the write-ahead log, streamed while the instance runs

All files are private: they contain passwords, the sealing key and all data.
"""

import argparse
import re
import shutil
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import AwareDatetime, BaseModel

from ops.launcher.errors import LauncherError

_PARTIAL: Final = ".partial"
"""Suffix of a segment that is still being streamed."""
_SEGMENT: Final = re.compile(r"[0-9A-F]{8}([0-9A-F]{8})000000([0-9A-F]{2})(\.partial)?")
_SEGMENTS_PER_FILE: Final = 256
_SEGMENT_BYTES: Final = 16 * 2**20
"""As initdb sets by default."""
_START: Final = re.compile(r"^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)$", re.MULTILINE)
MANIFEST: Final = "manifest.json"
CLUSTER: Final = "cluster"
PREFIX: Final = "backup-"
UNFINISHED: Final = ".unfinished"
"""Suffix of a copy that is incomplete: in progress, or interrupted."""


def segment_number(path: Path) -> int | None:
    """Return a segment's number in the log, whatever its timeline; None: the file is not a segment."""
    match = _SEGMENT.fullmatch(path.name)
    return int(match[1], 16) * _SEGMENTS_PER_FILE + int(match[2], 16) if match else None


def first_segment(cluster: Path) -> int:
    """Return the number of the first segment that a copy of a cluster needs.

    Raises:
        OSError: the folder is not such a copy.
    """
    match = _START.search((cluster / "backup_label").read_text("utf-8"))
    number = segment_number(Path(match[1])) if match else None
    return number or 0


def has_gap(folders: Iterable[Path], *, first: int) -> bool:
    """Return whether the folders lack a segment between the first one and the last that they have."""
    numbers = {segment_number(path) for folder in folders for path in folder.rglob("*")}
    wanted = sorted(number for number in numbers if number is not None and number >= first)
    return wanted != list(range(first, first + len(wanted)))


def _is_short(path: Path) -> bool:
    """Return whether a segment is empty: pg_receivewal extends it to its full length before writing."""
    return path.suffix == _PARTIAL and path.stat().st_size < _SEGMENT_BYTES


def add_moment_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--to-moment`, the moment to restore to."""
    parser.add_argument(
        "--to-moment",
        type=_parse_moment,
        metavar="TIME",
        help="restore the state at this time, such as 2026-11-22T03:00:00Z (default: the latest)",
    )


def _parse_moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("must be like 2026-11-22T03:00:00Z") from None
    if moment.tzinfo is None:
        raise argparse.ArgumentTypeError("must have a time zone: 2026-11-22T03:00:00Z or …+01:00")
    return moment


class Manifest(BaseModel):
    """Description of a backup.

    Attributes:
        position: a lower bound of the log's head at the end.
        finished: the end, which is the earliest moment to restore to.
    """

    log_id: str
    position: int
    finished: AwareDatetime
    postgres: str


class Backup:
    """One finished backup, with its `path` and `manifest`."""

    def __init__(self, path: Path) -> None:
        """Read a backup's manifest."""
        self.path = path
        try:
            self.manifest = Manifest.model_validate_json((path / MANIFEST).read_text("utf-8"))
        except (OSError, ValueError):
            raise LauncherError(f"{path} is not a complete backup") from None

    @property
    def size(self) -> int:
        """Size in bytes."""
        return sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file())

    @property
    def cluster(self) -> Path:
        """The copy of the database's cluster."""
        return self.path / CLUSTER


class BackupFolder:
    """A folder of backups of one log; `wal` is the write-ahead log in it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.wal = self.path / "wal"

    def create(self) -> None:
        """Create the folder, unless it exists."""
        if not self.path.is_dir():
            self.path.mkdir(parents=True, mode=0o700)
        self.wal.mkdir(mode=0o700, exist_ok=True)

    def streamed(self, first: int) -> Iterator[tuple[Path, str]]:
        """Yield the streamed files from a segment on, with the names by which a server requests them."""
        for path in sorted(self.wal.rglob("*")):
            number = segment_number(path)
            if path.suffix == ".history" or (number is not None and number >= first and not _is_short(path)):
                # A partial segment is valid up to its last complete record.
                yield path, path.name.removesuffix(_PARTIAL)

    def continues_from(self, oldest: int) -> bool:
        """Return whether the stream can continue without a gap; otherwise move the old segments away.

        pg_receivewal continues after the last segment in the folder, and fails if the server has removed it.
        """
        numbers = {
            path: number for path in self.wal.glob("*") if (number := segment_number(path)) is not None
        }
        if not numbers:
            return True
        last = max(numbers, key=lambda path: numbers[path])
        if numbers[last] + (last.suffix != _PARTIAL) >= oldest:
            return True
        aside = self.wal / f"until-{last.name.removesuffix(_PARTIAL)}"
        aside.mkdir(mode=0o700, exist_ok=True)
        for path in numbers:
            path.rename(aside / path.name)
        return False

    def remove_short(self) -> None:
        """Remove empty segments, left by a full disk, with which pg_receivewal does not start."""
        for path in filter(_is_short, self.wal.glob("*")):
            path.unlink()

    def remove_unfinished(self) -> None:
        """Remove interrupted copies; no other process may be creating one."""
        for path in self.path.glob(f"{PREFIX}*{UNFINISHED}"):
            shutil.rmtree(path)

    def backups(self) -> list[Backup]:
        """Return the complete backups, the oldest first."""
        paths = sorted(self.path.glob(f"{PREFIX}*Z"))
        return sorted((Backup(path) for path in paths), key=lambda one: one.manifest.finished)

    def path_of(self, moment: datetime) -> Path:
        """Return the path of a backup that begins at a moment."""
        return self.path / f"{PREFIX}{moment:%Y%m%dT%H%M%S}Z"

    def require_log(self, log_id: str) -> None:
        """Check that the folder has no backup of another log, which may share positions with this one."""
        if any(backup.manifest.log_id != log_id for backup in self.backups()):
            raise LauncherError(
                f"{self.path} contains backups of another log, such as from before a restore:"
                " name a new folder"
            )

    def prune(self, number: int) -> None:
        """Remove all but the newest backups, and segments that none of these needs.

        Args:
            number: the number of backups to keep, at least one.
        """
        backups = self.backups()
        for backup in backups[:-number]:
            shutil.rmtree(backup.path)
        first = first_segment(backups[-number:][0].cluster)
        for path in self.wal.rglob("*"):
            segment = segment_number(path)
            if segment is not None and segment < first:
                path.unlink()

    def choose(self, moment: datetime | None) -> Backup:
        """Return the newest backup that was finished by a moment, or the newest of all."""
        backups = self.backups()
        if not backups:
            raise LauncherError(f"{self.path} contains no complete backup")
        early_enough = [one for one in backups if moment is None or one.manifest.finished <= moment]
        if not early_enough:
            first = backups[0].manifest.finished
            raise LauncherError(f"the first backup was finished at {first.isoformat()}, after that moment")
        return early_enough[-1]


def latest_below(path: Path) -> BackupFolder:
    """Return the folder with the newest backup, among those of several logs.

    Args:
        path: contains one folder per log, named by its id.
    """
    folders = [BackupFolder(one) for one in path.glob("*") if one.is_dir()]
    filled = [folder for folder in folders if folder.backups()]
    if not filled:
        raise LauncherError(f"{path} contains no backup")
    return max(filled, key=lambda folder: folder.backups()[-1].manifest.finished)
