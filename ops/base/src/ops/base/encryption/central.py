"""Keys in a PostgreSQL of their own, for services on several machines.

No other kind of software is to be run, known and backed up for it. It has a disk, backups and passwords of
its own: whoever has a copy of the log's database, or of its write-ahead log, has no key. What is in it is
wrapped, so whoever has a copy of it has none either, without the key-encryption key.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, TypeVar

import psycopg

from ops.base.database.connection import BoundedConnection
from ops.base.database.pools import Pool, open_pool
from ops.base.encryption.keys import Key
from ops.base.encryption.rotation import AT_ONCE, TRIES, Rotation, rotate
from ops.base.encryption.wrapping import EpochRetired, KeyEncryptionKeys, KeysUnavailable
from ops.base.process.failpoints import failpoint

_CONNECTIONS: Final = 2
_PATIENCE_SECONDS: Final = 5.0
_BIND: Final = """
INSERT INTO keys.logs VALUES (%s, %s) ON CONFLICT (log_id) DO UPDATE SET position = excluded.position
"""
_POSITION: Final = "SELECT position FROM keys.logs WHERE log_id = %s"
_ONE_OF_EACH_EPOCH: Final = """
SELECT DISTINCT ON (epoch) id, epoch, secret FROM keys.kept WHERE secret IS NOT NULL ORDER BY epoch
"""
_INSERT: Final = """
INSERT INTO keys.kept (id, epoch, secret) SELECT * FROM unnest(%s::text[], %s::integer[], %s::bytea[])
WHERE EXISTS (SELECT FROM keys.logs WHERE log_id = coalesce(%s, log_id))
"""
_SELECT: Final = "SELECT id, epoch, secret FROM keys.kept WHERE id = ANY (%s)"
# A key that it never had is erased as well: whoever has it elsewhere must not bring it here. In one order, so
# that two who erase the same do not wait for each other.
_ERASE: Final = """
INSERT INTO keys.kept (id) SELECT DISTINCT unnest(%s::text[]) ORDER BY 1
ON CONFLICT (id) DO UPDATE SET epoch = NULL, secret = NULL WHERE kept.secret IS NOT NULL
"""
_MAY_RETIRE: Final = "SELECT FROM keys.epochs FOR UPDATE"
_RETIRE: Final = "UPDATE keys.epochs SET oldest = greatest(oldest, %s)"
_ALL: Final = "SELECT id, epoch, secret FROM keys.kept WHERE secret IS NOT NULL"
# In that order as well; with each of them locked, an erasure comes before or after.
_FORMER: Final = "SELECT id, epoch, secret FROM keys.kept WHERE epoch < %s ORDER BY id LIMIT %s FOR UPDATE"
_REWRAP: Final = """
UPDATE keys.kept SET epoch = anew.epoch, secret = anew.secret
FROM unnest(%s::text[], %s::integer[], %s::bytea[]) AS anew (id, epoch, secret) WHERE kept.id = anew.id
"""

T = TypeVar("T")


class CentralKeyStore:
    """A `KeyStore` in a database, whose tables `ops.launcher.keys` makes.

    The database itself sees to it that what was erased stays so, and that the services' role neither changes
    nor erases a key.
    """

    def __init__(self, pool: Pool, wrapping: KeyEncryptionKeys) -> None:
        """Describe it; `open_central_store` opens one.

        Args:
            pool: of connections to the database.
            wrapping: what keys are wrapped with.
        """
        self._pool = pool
        self._wrapping = wrapping
        self._log_id: str | None = None

    async def issue(self, count: int) -> list[Key]:
        """See `KeyStore.issue`."""

        async def insert(connection: BoundedConnection) -> list[Key]:
            # Others each time: whether those of an attempt that was cut off are there, nobody knows.
            keys = [Key.new() for _ in range(count)]
            wrapped = self._wrapping.wrap(keys)
            columns = [list(column) for column in zip(*wrapped, strict=True)]
            if not (await connection.execute(_INSERT, [*columns, self._log_id])).rowcount:
                raise KeysUnavailable("the database of the keys is not the key store of this log")
            return keys

        for _ in range(TRIES - 1):
            with suppress(EpochRetired):
                return await self._asked(insert)
        return await self._asked(insert)

    async def verified_position(self, log_id: str) -> int | None:
        """See `KeyStore.verified_position`."""

        async def select(connection: BoundedConnection) -> int | None:
            row = await (await connection.execute(_POSITION, [log_id])).fetchone()
            return None if row is None else int(row[0])

        await self._unwrapped(_ONE_OF_EACH_EPOCH)
        return await self._asked(select)

    async def bind(self, log_id: str, position: int) -> None:
        """See `KeyStore.bind`."""

        async def bind(connection: BoundedConnection) -> None:
            await connection.execute(_BIND, [log_id, position])

        await self._asked(bind)
        self._log_id = log_id

    async def fetch(self, ids: Collection[str]) -> Mapping[str, Key | None]:
        """See `KeyStore.fetch`."""
        return await self._unwrapped(_SELECT, list(ids))

    async def _unwrapped(self, statement: str, *parameters: object) -> Mapping[str, Key | None]:
        async def select(connection: BoundedConnection) -> list[tuple[str, int | None, bytes | None]]:
            return await (await connection.execute(statement, parameters)).fetchall()

        rows = await self._asked(select)
        try:
            return self._wrapping.unwrap_all(rows)
        except KeysUnavailable:
            # What wrapped them may have been destroyed since they were read: then they are wrapped anew.
            return self._wrapping.unwrap_all(await self._asked(select))

    async def erase(self, ids: Collection[str]) -> None:
        """See `KeyStore.erase`; the services' role may not."""

        async def erase(connection: BoundedConnection) -> None:
            await connection.execute(_ERASE, [list(ids)])

        await self._asked(erase)

    async def rotate(self) -> Rotation:
        """See `KeyStore.rotate`; the services' role may not."""

        async def count(connection: BoundedConnection) -> int:
            await connection.execute(_MAY_RETIRE)
            rows = await (await connection.execute(_ALL)).fetchall()
            return len(await asyncio.to_thread(self._wrapping.unwrap_all, rows))

        async def rewrap(epoch: int, connection: BoundedConnection) -> None:
            async with connection.transaction():
                # First: whoever inserts has read which epochs are retired, and is awaited here.
                await connection.execute(_RETIRE, [epoch])
                while rows := await (await connection.execute(_FORMER, [epoch, AT_ONCE])).fetchall():
                    keys = await asyncio.to_thread(self._wrapping.unwrap_all, rows)
                    anew = await asyncio.to_thread(self._wrapping.wrap, filter(None, keys.values()), epoch)
                    await connection.execute(_REWRAP, [list(column) for column in zip(*anew, strict=True)])
                failpoint("keys.rewrapping")

        return await rotate(
            self._wrapping,
            lambda: self._asked(count),
            lambda epoch: self._asked(partial(rewrap, epoch)),
        )

    def forget(self) -> None:
        """See `KeyStore.forget`."""
        self._wrapping.forget()

    async def check(self) -> None:
        """See `KeyStore.check`."""
        self._wrapping.check()
        await self.fetch([])

    async def _asked(self, ask: Callable[[BoundedConnection], Awaitable[T]]) -> T:
        try:
            return await self._pool.read(ask, patience=_PATIENCE_SECONDS)
        except psycopg.errors.RestrictViolation:
            raise EpochRetired("the database of the keys takes none of a former epoch") from None
        except psycopg.Error as error:
            raise KeysUnavailable(f"the database of the keys: {type(error).__name__}") from None


@asynccontextmanager
async def open_central_store(dsn: str, wrapping: KeyEncryptionKeys) -> AsyncIterator[CentralKeyStore]:
    """Open the store in a database; it does not wait for the server.

    Args:
        dsn: where to connect.
        wrapping: what keys are wrapped with.
    """
    async with open_pool(dsn, size=_CONNECTIONS, server="keys") as pool:
        yield CentralKeyStore(pool, wrapping)
