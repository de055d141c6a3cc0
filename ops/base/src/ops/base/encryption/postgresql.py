"""The database of a key store in PostgreSQL, for services on several machines.

It is a database of its own, with a disk, backups and passwords of its own: a copy of the log's database or
of its write-ahead log holds no key. Its keys are wrapped, so a copy of it is useless without the
key-encryption key. `ops.launcher.keys` creates its tables, whose triggers and rights ensure that erased keys
stay erased, and that the services' role neither changes nor erases a key.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import psycopg

from ops.base.database.connection import BoundedConnection
from ops.base.database.pools import Pool
from ops.base.encryption.key_encryption_keys import EpochRetired, KeyEncryptionKeys, KeysUnavailable
from ops.base.encryption.stores import KeyDatabase, KeyStore, Transaction

_CONNECTIONS: Final = 2
_PATIENCE_SECONDS: Final = 5.0

T = TypeVar("T")


class PostgresqlKeys(KeyDatabase):
    """A `KeyDatabase` in PostgreSQL, which checks its pages as it reads them."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def __str__(self) -> str:
        return "the database of the keys"

    async def select(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return await self._read(lambda connection: _Transaction(connection).execute(statement, parameters))

    async def run(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        async def in_transaction(connection: BoundedConnection) -> T:
            async with connection.transaction():
                return await work(_Transaction(connection))

        return await self._read(in_transaction)

    async def _read(self, read: Callable[[BoundedConnection], Coroutine[Any, Any, T]]) -> T:
        try:
            return await self._pool.read(read, patience=_PATIENCE_SECONDS)
        except psycopg.errors.RestrictViolation:
            raise EpochRetired(f"{self} accepts no key of a retired epoch") from None
        except psycopg.Error as error:
            raise KeysUnavailable(f"{self}: {type(error).__name__}") from None


class _Transaction:
    def __init__(self, connection: BoundedConnection) -> None:
        self._connection = connection

    async def execute(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        cursor = await self._connection.execute(statement.encode(), parameters)
        return [] if cursor.description is None else await cursor.fetchall()

    async def execute_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        await self._connection.cursor().executemany(statement.encode(), rows)


@asynccontextmanager
async def open_central_store(dsn: str, wrapping: KeyEncryptionKeys) -> AsyncIterator[KeyStore]:
    """Open the store in a database; it does not wait for the server."""
    async with Pool(dsn, size=_CONNECTIONS, server="keys") as pool:
        yield KeyStore(PostgresqlKeys(pool), wrapping)
