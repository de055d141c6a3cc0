"""Keys in a file of their own, for an instance on one machine."""

import asyncio
import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Self

from ops.base.sealing.keys import Key
from ops.base.sealing.wrapping import KeyEncryptionKeys, KeysUnavailable, Wrapped

NAME: Final = "keys.sqlite"
_PATIENCE_SECONDS: Final = 5.0
# What is erased is overwritten in the file. Its journal may keep a copy for a while, on the disk even when it
# is gone: that copy is wrapped, and what wraps it is destroyed with each erasure.
_PREPARE: Final = """
PRAGMA secure_delete = ON;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY,
  epoch INTEGER,
  secret BLOB,
  CHECK ((epoch IS NULL) = (secret IS NULL))
) WITHOUT ROWID;
"""
_INSERT: Final = "INSERT INTO keys (id, epoch, secret) VALUES (?, ?, ?)"
_SELECT: Final = "SELECT id, epoch, secret FROM keys WHERE id IN (SELECT value FROM json_each(?))"
# A key that it never had is erased as well: whoever has it elsewhere must not bring it here.
_ERASE: Final = """
INSERT INTO keys (id) SELECT value FROM json_each(?) WHERE true
ON CONFLICT (id) DO UPDATE SET epoch = NULL, secret = NULL
"""


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
        wrapped = self._wrapping.wrap(keys)
        await asyncio.to_thread(self._write, _INSERT, wrapped)
        return keys

    async def fetch(self, ids: Collection[str]) -> Mapping[str, Key | None]:
        """See `KeyStore.fetch`."""
        try:
            rows = self._opened().execute(_SELECT, [json.dumps(list(ids))]).fetchall()
        except sqlite3.Error as error:
            raise self._unavailable(error) from None
        return {
            key_id: None if secret is None else self._wrapping.unwrap(Wrapped(key_id, epoch, secret))
            for key_id, epoch, secret in rows
        }

    async def erase(self, ids: Collection[str]) -> None:
        """See `KeyStore.erase`."""
        await asyncio.to_thread(self._write, _ERASE, [(json.dumps(list(ids)),)])

    async def check(self) -> None:
        """See `KeyStore.check`."""
        self._wrapping.check()
        await self.fetch([])

    def _write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        try:
            # A connection of its own, for another thread uses the other one meanwhile.
            with closing(self._connected()) as connection, connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self._unavailable(error) from None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connected()
        return self._connection

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_PATIENCE_SECONDS, isolation_level=None)
        connection.executescript(_PREPARE)
        self._path.chmod(0o600)
        return connection

    def _unavailable(self, error: sqlite3.Error) -> KeysUnavailable:
        return KeysUnavailable(f"{self._path}: {error}")
