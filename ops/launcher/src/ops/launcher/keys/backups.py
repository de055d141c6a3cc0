"""Backups of a key store, in a folder that holds nothing else.

    keys-20261126T110203123456Z.sqlite    every key, encrypted as in the store, and the ids of erased keys

Whichever kind of store it comes from, a backup is a file like `keys.sqlite`. Backups from before an erasure
decrypt nothing, because their key-encryption key is destroyed; the next backup removes them.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import psycopg

from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.settings import KeySettings
from ops.base.encryption.sqlite import FILE_NAME, open_key_file
from ops.base.files import to_disk
from ops.launcher.errors import LauncherError
from ops.launcher.programs import one_at_a_time

_BATCH: Final = 10_000
_SELECT: Final = "SELECT id, epoch, secret FROM keys.kept"
_COPY_LOCAL: Final = "INSERT INTO kept SELECT id, epoch, secret FROM other.kept"
_COPY_ROW: Final = "INSERT INTO kept VALUES (?, ?, ?)"
_LACKS_KEYS: Final = "SELECT EXISTS (SELECT id FROM other.kept EXCEPT SELECT id FROM kept)"
# True after an erasure or a rotation: either changes the epoch of a key.
_IS_OUTDATED: Final = """
SELECT EXISTS (SELECT 1 FROM kept JOIN other.kept AS earlier USING (id)
WHERE earlier.epoch IS NOT kept.epoch)
"""
_OLDEST_EPOCH: Final = "SELECT oldest FROM keys.epochs"
_RESTORE: Final = """
INSERT INTO keys.kept (id, epoch, secret) SELECT * FROM unnest(%s::text[], %s::integer[], %s::bytea[])
ON CONFLICT (id) DO NOTHING
"""


class RestoredKeys(NamedTuple):
    """The result of a restore: the numbers of added keys, and of keys that the store had already."""

    keys: int
    existing: int


class KeyBackups:
    """A folder of backups of one key store."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def all(self) -> list[Path]:
        """Return the finished backups, the oldest first."""
        return sorted(self.path.glob("keys-*Z.sqlite"))

    def create(self, source: KeySettings, *, keep: int | None = None) -> Path:
        """Create a backup, and remove those that an erasure or a rotation has made useless.

        The new file gets its name when it is complete, checked and durable.

        Args:
            keep: the number of backups to keep; None: all.

        Raises:
            LauncherError: the store or the folder cannot be used, or the store lacks keys that the newest
                backup has, as an emptied or replaced store does.
        """
        with _failing("the keys could not be backed up"):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            with one_at_a_time(self.path / "lock"):
                return self._create(source, keep)

    def _create(self, source: KeySettings, keep: int | None) -> Path:
        unfinished = self.path / "unfinished"
        for left in self.path.glob("unfinished*"):  # of a process that was killed
            left.unlink()
        earlier = self.all()
        with closing(open_key_file(unfinished, create=True)) as copy:
            _fill(copy, source)
            if earlier and _compare(copy, earlier[-1], _LACKS_KEYS):
                raise LauncherError(
                    f"the key store lacks keys of {earlier[-1]}, so it is not the store that was backed up:"
                    " restore that backup, or name a new folder"
                )
            outdated = [path for path in earlier if _compare(copy, path, _IS_OUTDATED)]
        _require_intact(unfinished)
        to_disk(unfinished)
        backup = unfinished.rename(self.path / f"keys-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.sqlite")
        to_disk(self.path)
        for path in {*outdated, *(self.all()[:-keep] if keep else [])}:
            path.unlink()
        return backup

    def restore(self, store: KeySettings, name: str | None = None) -> RestoredKeys:
        """Add the keys of a backup to a central key store, which may be empty; existing keys are not changed.

        Args:
            store: the store, and the key-encryption keys, which must decrypt every key of the backup.
            name: the backup's file name; None: the newest.

        Raises:
            LauncherError: there is no such backup, it is damaged, its key-encryption key is missing, or the
                store cannot be used; nothing was added.
        """
        with _failing("the keys could not be restored"):
            backup = self.path / name if name else next(reversed(self.all()), None)
            if backup is None or not backup.is_file():
                raise LauncherError(f"there is no backup of keys {backup or f'in {self.path}'}")
            _require_intact(backup)
            added = total = 0
            with closing(_opened(backup)) as source, psycopg.connect(store.dsn.get_secret_value()) as target:
                kept = source.execute("SELECT id, epoch, secret FROM kept")
                while rows := kept.fetchmany(_BATCH):
                    store.wrapping.unwrap_all(rows)
                    columns = [list(column) for column in zip(*rows, strict=True)]
                    added += target.execute(_RESTORE, columns).rowcount
                    total += len(rows)
            return RestoredKeys(added, total - added)


def oldest_epoch(source: KeySettings) -> int:
    """Return the oldest epoch that a central key store accepts; each rotation raises it."""
    with _failing("the keys"), psycopg.connect(source.dsn.get_secret_value()) as connection:
        row = connection.execute(_OLDEST_EPOCH).fetchone()
        return int(row[0]) if row else 0


def _fill(copy: sqlite3.Connection, source: KeySettings) -> None:
    if source.in_database:
        with psycopg.connect(source.dsn.get_secret_value()) as database, database.cursor("keys") as rows:
            rows.itersize = _BATCH
            rows.execute(_SELECT)
            copy.execute("BEGIN")
            copy.executemany(_COPY_ROW, rows)
            copy.execute("COMMIT")
        return
    file = Path(source.where) / FILE_NAME
    if not file.is_file():  # ATTACH would create it
        raise FileNotFoundError(f"there is no {file}")
    copy.execute("ATTACH ? AS other", [str(file)])
    copy.execute(_COPY_LOCAL)
    copy.execute("DETACH other")


def _compare(copy: sqlite3.Connection, other: Path, query: str) -> bool:
    copy.execute("ATTACH ? AS other", [str(other)])
    found = bool(copy.execute(query).fetchone()[0])
    copy.execute("DETACH other")
    return found


def _require_intact(file: Path) -> None:
    with closing(_opened(file)) as connection:
        if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise LauncherError(f"{file} is damaged")


def _opened(file: Path) -> sqlite3.Connection:
    """Open a finished file, which no longer changes and may be on a read-only volume."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?immutable=1", uri=True)


@contextmanager
def _failing(what: str) -> Iterator[None]:
    try:
        yield
    except (KeysUnavailable, OSError, sqlite3.Error, ValueError) as error:
        raise LauncherError(f"{what}: {error}") from None
    except psycopg.Error as error:
        raise LauncherError(f"{what}: the database of keys: {type(error).__name__}") from None
