"""Keys in a file of their own, for an instance on one machine."""

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Self

from ops.base.encryption.keys import Key
from ops.base.encryption.rotation import AT_ONCE, TRIES, Rotation, rotate
from ops.base.encryption.wrapping import EpochRetired, KeyEncryptionKeys, KeysUnavailable, NoKeyStore
from ops.base.process.failpoints import failpoint
from ops.base.records.json_values import to_json

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
"""
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY,
  epoch INTEGER,
  secret BLOB,
  CHECK ((epoch IS NULL) = (secret IS NULL))
) WITHOUT ROWID;
-- Up to which position of each log the store was seen to hold all keys.
CREATE TABLE IF NOT EXISTS logs (log_id TEXT PRIMARY KEY, position INTEGER NOT NULL);
-- Each time that epochs are retired, the oldest one that is not.
CREATE TABLE IF NOT EXISTS epochs (oldest INTEGER NOT NULL);
CREATE TRIGGER IF NOT EXISTS retired BEFORE INSERT ON keys
WHEN NEW.epoch < (SELECT max(oldest) FROM epochs)
BEGIN SELECT RAISE(ABORT, 'its epoch is retired'); END;
"""
_BIND: Final = "INSERT INTO logs VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position"
_POSITION: Final = "SELECT position FROM logs WHERE log_id = ?"
_IS_BOUND: Final = "SELECT EXISTS (SELECT 1 FROM logs WHERE log_id = coalesce(?, log_id))"
_ONE_OF_EACH_EPOCH: Final = "SELECT min(id), epoch, secret FROM keys WHERE secret IS NOT NULL GROUP BY epoch"
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


def open_key_file(path: Path, *, create: bool = False) -> sqlite3.Connection:
    """Open a file of keys, in autocommit mode.

    Args:
        path: the file.
        create: create it and its tables if they do not exist.

    Raises:
        sqlite3.Error: the file does not exist, cannot be opened, or is not an SQLite database.
    """
    address = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None)
    connection.executescript(_PREPARE)
    if create:
        path.chmod(0o600)
        connection.executescript(_SCHEMA)
    return connection


class LocalKeyStore:
    """A `KeyStore` in an SQLite file, which several processes may use at once."""

    def __init__(self, folder: Path, wrapping: KeyEncryptionKeys) -> None:
        """Describe it.

        Args:
            folder: where the file is; only `bind` creates it, for a file that is missing may be on a volume
                that is not mounted.
            wrapping: what keys are wrapped with.
        """
        self._path = folder / NAME
        self._wrapping = wrapping
        self._connection: sqlite3.Connection | None = None
        self._log_id: str | None = None

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

    async def verified_position(self, log_id: str) -> int | None:
        """See `KeyStore.verified_position`."""
        self.__exit__()  # what it was connected to may have been another file
        return await asyncio.to_thread(self._verified_position, log_id)

    async def bind(self, log_id: str, position: int) -> None:
        """See `KeyStore.bind`."""
        await asyncio.to_thread(self.bind_now, log_id, position)

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

        def insert(connection: sqlite3.Connection) -> None:
            if connection.execute(_IS_BOUND, [self._log_id]).fetchone() != (1,):
                raise KeysUnavailable(f"{self._path} is not the key store of this log")
            connection.executemany(_INSERT, wrapped)

        self._write(insert)
        return list(keys)

    def _verified_position(self, log_id: str) -> int | None:
        if not self._path.exists():
            return None
        try:
            with closing(open_key_file(self._path)) as connection:
                ((damage,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
                if damage != "ok":
                    raise KeysUnavailable(f"{self._path} is damaged")
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
                row = connection.execute(_POSITION, [log_id]).fetchone() if "logs" in tables else None
                wrapped = connection.execute(_ONE_OF_EACH_EPOCH).fetchall() if "keys" in tables else []
        except sqlite3.Error as error:
            raise self._unavailable(error) from None
        if wrapped:
            self._wrapping.unwrap_all(wrapped)
        return None if row is None else int(row[0])

    def bind_now(self, log_id: str, position: int) -> None:
        """Do what `bind` does, outside of an event loop."""
        try:
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            with closing(open_key_file(self._path, create=True)) as connection:
                connection.execute(_BIND, [log_id, position])
        except (sqlite3.Error, OSError) as error:
            raise self._unavailable(error) from None
        self._log_id = log_id

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

    def _unavailable(self, error: Exception) -> KeysUnavailable:
        try:
            if not self._path.stat().st_size:
                return NoKeyStore(f"{self._path} is empty")
        except OSError:
            return NoKeyStore(f"there is no key store {self._path}")
        return KeysUnavailable(f"{self._path}: {error}")


def _array(ids: Collection[str]) -> str:
    return to_json(list(ids))
