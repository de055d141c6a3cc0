"""Key stores of both kinds, local and central, for tests of the contract of both."""

import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

import psycopg

from ops.base.encryption.epochs import new_key_encryption_key
from ops.base.encryption.key_encryption_keys import KeyEncryptionKeys, WrappedKey
from ops.base.encryption.postgresql import open_central_store
from ops.base.encryption.sqlite import FILE_NAME, local_store, open_key_file
from ops.base.encryption.stores import KeyStore
from ops.testing.postgres import KeysDatabase


@dataclass(frozen=True)
class KeyStoreLocation:
    """The location of one key store."""

    folder: Path
    """The folder of the key-encryption keys, and of the local store's file."""
    database: KeysDatabase | None

    def environment(self, *, erases: bool = False) -> dict[str, str]:
        """Return the environment of a process that uses the store."""
        where = {"FLEETLOG_KEYS": str(self.folder)}
        if (dsn := self._dsn(erases=erases)) is not None:
            parts = psycopg.conninfo.conninfo_to_dict(dsn)
            (self.folder / "password").write_text(str(parts["password"]))
            where = {
                "FLEETLOG_KEYS": "postgresql://{user}@{host}:{port}/{dbname}".format(**parts),
                "FLEETLOG_KEYS_PASSWORD_FILE": str(self.folder / "password"),
                "FLEETLOG_KEY_ENCRYPTION_KEYS": str(self.folder),
            }
        return {**os.environ, **where}

    def opened(self, *, erases: bool = False) -> AbstractAsyncContextManager[KeyStore]:
        return opened(self.folder, self._dsn(erases=erases))

    def kept(self) -> list[WrappedKey]:
        """Return the wrapped keys in the store."""
        statement = "SELECT id, epoch, secret FROM {keys} WHERE secret IS NOT NULL"
        if self.database is None:
            with closing(sqlite3.connect(self.folder / FILE_NAME)) as connection:
                return [WrappedKey(*row) for row in connection.execute(statement.format(keys="kept"))]
        with psycopg.connect(self.database.owner) as session:
            return [WrappedKey(*row) for row in session.execute(statement.format(keys="keys.kept").encode())]

    def write(self, statement: str, *values: object) -> None:
        """Write to the store without its protection, as an attacker with access to its disk."""
        if self.database is None:
            with sqlite3.connect(self.folder / FILE_NAME) as connection:
                connection.execute(statement.format(keys="kept"), values)
            connection.close()
        else:
            with psycopg.connect(self.database.owner) as session:
                session.execute("ALTER TABLE keys.kept DISABLE TRIGGER fence")
                session.execute(statement.format(keys="keys.kept").replace("?", "%s").encode(), values)
                session.execute("ALTER TABLE keys.kept ENABLE ALWAYS TRIGGER fence")

    def _dsn(self, *, erases: bool) -> str | None:
        if self.database is None:
            return None
        return self.database.eraser if erases else self.database.user


@asynccontextmanager
async def opened(folder: Path, dsn: str | None) -> AsyncIterator[KeyStore]:
    """Open a store: the central one at a DSN, or the local one in the folder of the key-encryption keys."""
    if dsn is None:
        with closing(local_store(folder)) as local:
            yield local
    else:
        async with open_central_store(dsn, KeyEncryptionKeys(folder)) as central:
            yield central


def create_local_store(folder: Path) -> None:
    """Create an empty store with its first key-encryption key, bound to a log that does not exist."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    new_epoch(folder, 1)
    (folder / "epoch-1.key").chmod(0o600)
    with closing(open_key_file(folder / FILE_NAME, create=True)) as connection, connection:
        connection.execute("INSERT INTO logs VALUES ('test', 0) ON CONFLICT DO NOTHING")


def new_epoch(folder: Path, number: int) -> None:
    """Create an epoch's key-encryption key."""
    (folder / f"epoch-{number}.key").write_text(new_key_encryption_key())
