"""Keys in a file of their own, for an instance on one machine."""

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Self

from ops.base.failpoints import failpoint
from ops.base.json_values import to_json
from ops.base.sealing.keys import Key
from ops.base.sealing.rotation import AT_ONCE, TRIES, Rotation, rotate
from ops.base.sealing.wrapping import EpochRetired, KeyEncryptionKeys, KeysUnavailable

NAME: Final = "keys.sqlite"
_PATIENCE_SECONDS: Final = 5.0
# What is erased is overwritten in the file. Its journal, which goes with each commit, and blocks of the disk
# may keep a copy: that is wrapped, and what wraps it is destroyed with the rotation after the erasure. So the
# file need not be vacuumed, either.
_PREPARE: Final = """
PRAGMA journal_mode = DELETE;
PRAGMA secure_delete = ON;
PRAGMA synchronous = FULL;
PRAGMA cache_spill = OFF;
CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY,
  epoch INTEGER,
  secret BLOB,
  CHECK ((epoch IS NULL) = (secret IS NULL))
) WITHOUT ROWID;
-- Each time that epochs are retired, the oldest one that is not.
CREATE TABLE IF NOT EXISTS epochs (oldest INTEGER NOT NULL);
CREATE TRIGGER IF NOT EXISTS retired BEFORE INSERT ON keys
WHEN NEW.epoch < (SELECT max(oldest) FROM epochs)
BEGIN SELECT RAISE(ABORT, 'its epoch is retired'); END;
"""
_INSERT: Final = "INSERT INTO keys (id, epoch, secret) VALUES (?, ?, ?)"
_SELECT: Final = "SELECT id, epoch, secret FROM keys WHERE id IN (SELECT value FROM json_each(?))"
# A key that it never had is erased as well: whoever has it elsewhere must not bring it here.
_ERASE: Final = """
INSERT INTO keys (id) SELECT value FROM json_each(?) WHERE true
ON CONFLICT (id) DO UPDATE SET epoch = NULL, secret = NULL
"""
_RETIRE: Final = "INSERT INTO epochs (oldest) VALUES (?)"
_ALL: Final = "SELECT id, epoch, secret FROM keys WHERE secret IS NOT NULL"
_FORMER: Final = "SELECT id, epoch, secret FROM keys WHERE epoch < ? LIMIT ?"
_REWRAP: Final = "UPDATE keys SET epoch = ?, secret = ? WHERE id = ?"


def open_key_file(path: Path) -> sqlite3.Connection:
    """Open a file of keys, in autocommit mode; create it and its tables if they do not exist.

    Raises:
        sqlite3.Error: the file cannot be opened, or is not an SQLite database.
    """
    connection = sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None)
    connection.executescript(_PREPARE)
    path.chmod(0o600)
    return connection


class LocalKeyStore:
    """A `KeyStore` in an SQLite file, which several processes may use at once."""

    def __init__(self, folder: Path, wrapping: KeyEncryptionKeys) -> None:
        """Describe it.

        Args:
            folder: where the file is; it is made when it is needed.
            wrapping: what keys are wrapped with.
        """
        self._path = folder / NAME
        self._wrapping = wrapping
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def issue(self, count: int) -> list[Key]:
        """See `KeyStore.issue`."""
        keys = [Key.new() for _ in range(count)]
        for _ in range(TRIES - 1):
            with suppress(EpochRetired):
                return await asyncio.to_thread(self._insert, keys)
        return await asyncio.to_thread(self._insert, keys)

    async def fetch(self, ids: Collection[str]) -> Mapping[str, Key | None]:
        """See `KeyStore.fetch`."""
        rows = self._select(ids)
        try:
            return self._wrapping.unwrap_all(rows)
        except KeysUnavailable:
            # What wrapped them may have been destroyed since they were read: then they are wrapped anew.
            return self._wrapping.unwrap_all(self._select(ids))

    async def erase(self, ids: Collection[str]) -> None:
        """See `KeyStore.erase`."""
        await asyncio.to_thread(self._write, lambda connection: connection.execute(_ERASE, [_array(ids)]))

    async def rotate(self) -> Rotation:
        """See `KeyStore.rotate`."""
        return await rotate(
            self._wrapping,
            lambda: asyncio.to_thread(self._count),
            lambda epoch: asyncio.to_thread(self._rewrap, epoch),
        )

    def forget(self) -> None:
        """See `KeyStore.forget`."""
        self._wrapping.forget()

    async def check(self) -> None:
        """See `KeyStore.check`."""
        self._wrapping.check()
        await self.fetch([])

    def _insert(self, keys: Sequence[Key]) -> list[Key]:
        wrapped = self._wrapping.wrap(keys)
        self._write(lambda connection: connection.executemany(_INSERT, wrapped))
        return list(keys)

    def _select(self, ids: Collection[str]) -> list[tuple[str, int | None, bytes | None]]:
        try:
            return self._opened().execute(_SELECT, [_array(ids)]).fetchall()
        except sqlite3.Error as error:
            raise self._unavailable(error) from None

    def _count(self) -> int:
        rows: list[tuple[str, int, bytes]] = []
        self._write(lambda connection: rows.extend(connection.execute(_ALL)))
        return len(self._wrapping.unwrap_all(rows))

    def _rewrap(self, epoch: int) -> None:
        def rewrap(connection: sqlite3.Connection) -> None:
            connection.execute(_RETIRE, [epoch])
            while rows := connection.execute(_FORMER, [epoch, AT_ONCE]).fetchall():
                anew = self._wrapping.wrap(filter(None, self._wrapping.unwrap_all(rows).values()), epoch)
                connection.executemany(_REWRAP, [(one.epoch, one.secret, one.id) for one in anew])
            failpoint("keys.rewrapping")

        self._write(rewrap)

    def _write(self, write: Callable[[sqlite3.Connection], object]) -> None:
        try:
            # A connection of its own, for another thread uses the other one meanwhile.
            with closing(open_key_file(self._path)) as connection, connection:
                connection.execute("BEGIN IMMEDIATE")
                write(connection)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "") == "SQLITE_CONSTRAINT_TRIGGER":
                raise EpochRetired(f"{self._path}: {error}") from None
            raise self._unavailable(error) from None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_key_file(self._path)
        return self._connection

    def _unavailable(self, error: sqlite3.Error) -> KeysUnavailable:
        return KeysUnavailable(f"{self._path}: {error}")


def _array(ids: Collection[str]) -> str:
    return to_json(list(ids))
