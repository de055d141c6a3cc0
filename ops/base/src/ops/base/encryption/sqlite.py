"""The database of a key store as an SQLite file, for an instance on one machine."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

from ops.base.encryption.key_encryption_keys import (
    EpochRetired,
    KeyEncryptionKeys,
    KeysUnavailable,
    NoKeyStore,
)
from ops.base.encryption.stores import KeyDatabase, KeyStore, Transaction

FILE_NAME: Final = "keys.sqlite"
_PATIENCE_SECONDS: Final = 5.0
# SQLite overwrites erased secrets in the file. The journal of each commit, and blocks of the disk, may keep a
# copy: it is wrapped, and the rotation after an erasure destroys what wraps it. So no vacuum is necessary.
_PREPARE: Final = """
PRAGMA journal_mode = DELETE;
PRAGMA secure_delete = ON;
PRAGMA synchronous = FULL;
PRAGMA cache_spill = OFF;
"""
# As ops/launcher/keys/schema.sql has it for PostgreSQL, in one transaction: a file has all tables or none.
_SCHEMA: Final = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS kept (
  id TEXT PRIMARY KEY,
  epoch INTEGER,
  secret BLOB,
  CHECK ((epoch IS NULL) = (secret IS NULL))
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS logs (log_id TEXT PRIMARY KEY, position INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS epochs (oldest INTEGER NOT NULL);
INSERT INTO epochs (oldest) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM epochs);
CREATE TRIGGER IF NOT EXISTS require_epoch BEFORE INSERT ON kept
WHEN NEW.epoch < (SELECT oldest FROM epochs)
BEGIN SELECT RAISE(ABORT, 'its epoch is retired'); END;
COMMIT;
"""

T = TypeVar("T")


def open_key_file(path: Path, *, create: bool = False) -> sqlite3.Connection:
    """Open a file of keys, in autocommit mode.

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


def local_store(folder: Path, wrapping: KeyEncryptionKeys | None = None) -> KeyStore:
    """Return the key store in a folder; close it after use.

    Args:
        wrapping: the key-encryption keys; None: those in the same folder.
    """
    return KeyStore(SqliteKeys(folder), wrapping or KeyEncryptionKeys(folder))


class SqliteKeys(KeyDatabase):
    """A `KeyDatabase` in a file that several processes may use at once.

    Only `create` creates the file: one that is missing may be on a volume that is not mounted.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._connection: sqlite3.Connection | None = None

    def __str__(self) -> str:
        return str(self._path)

    async def select(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        # It takes microseconds, so it runs on the event loop.
        try:
            self._connection = self._connection or open_key_file(self._path)
            return await _Transaction(self._connection).execute(statement, parameters)
        except sqlite3.Error as error:
            raise self._unavailable(error) from None

    async def run(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        # A commit waits for disk and other processes, so it runs in a thread.
        return await asyncio.to_thread(self._run, work)

    def _run(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        try:
            with closing(open_key_file(self._path)) as connection, connection:
                connection.isolation_level = "IMMEDIATE"  # the first statement that writes locks the file
                return asyncio.run(work(_Transaction(connection)))
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "") == "SQLITE_CONSTRAINT_TRIGGER":
                raise EpochRetired(f"{self._path}: {error}") from None
            raise self._unavailable(error) from None

    async def create(self) -> None:
        await asyncio.to_thread(self._create)

    async def check(self) -> None:
        self.close()  # the connection may be to a file that was replaced
        await asyncio.to_thread(self._check)

    def _create(self) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            open_key_file(self._path, create=True).close()
        except (sqlite3.Error, OSError) as error:
            raise self._unavailable(error) from None

    def _check(self) -> None:
        try:
            with closing(open_key_file(self._path)) as connection:
                ((damage,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
                tables = connection.execute("SELECT name FROM sqlite_schema").fetchall()
        except sqlite3.Error as error:
            raise self._unavailable(error) from None
        if damage != "ok":
            raise KeysUnavailable(f"{self._path} is damaged")
        if not tables:
            raise NoKeyStore(f"{self._path} is empty")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _unavailable(self, error: Exception) -> KeysUnavailable:
        try:
            if not self._path.stat().st_size:
                return NoKeyStore(f"{self._path} is empty")
        except OSError:
            return NoKeyStore(f"there is no key store {self._path}")
        return KeysUnavailable(f"{self._path}: {error}")


class _Transaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def execute(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(_in_dialect(statement), parameters).fetchall()

    async def execute_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        self._connection.executemany(_in_dialect(statement), rows)


def _in_dialect(statement: str) -> str:
    return statement.replace("keys.", "").replace("%s", "?").replace("json_array_elements_text", "json_each")
