"""Key stores: keys outside of the database that they decrypt, its write-ahead log and its backups.

After each erasure `KeyStore.rotate` rewraps all remaining keys, so that an older copy of the store decrypts
nothing. The copy holds the wrapped key of the erased record, so the key-encryption
key must be destroyed, and no remaining key may depend on it. One key-encryption key per record would be a
second store with the same problem. A tree of them would rewrap O(log n) keys per erasure, but needs more code
and files than a rotation, which takes microseconds per key.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from ops.base.encryption.epochs import begin_epoch, destroy_epochs_before
from ops.base.encryption.key_encryption_keys import EpochRetired, KeyEncryptionKeys, KeysUnavailable
from ops.base.encryption.keys import Key
from ops.base.process.failpoints import failpoint
from ops.base.records.json_values import to_json

_BATCH: Final = 1_000
"""Keys rewrapped between two statements, which blocks the event loop for a few milliseconds."""
_TRIES: Final = 3
"""Attempts to issue keys while the epoch that wraps them is being retired."""
_ANY_EPOCH: Final = 2**31 - 1
_BIND: Final = """
INSERT INTO keys.logs VALUES (%s, %s) ON CONFLICT (log_id) DO UPDATE SET position = excluded.position
"""
_POSITION: Final = "SELECT position FROM keys.logs WHERE log_id = %s"
_ONE_OF_EACH_EPOCH: Final = """
SELECT id, epoch, secret FROM keys.kept
WHERE id IN (SELECT min(id) FROM keys.kept WHERE secret IS NOT NULL GROUP BY epoch)
"""
_IS_BOUND: Final = "SELECT EXISTS (SELECT 1 FROM keys.logs WHERE log_id = coalesce(%s, log_id))"
_INSERT: Final = "INSERT INTO keys.kept (id, epoch, secret) VALUES (%s, %s, %s)"
_SELECT: Final = """
SELECT id, epoch, secret FROM keys.kept WHERE id IN (SELECT value FROM json_array_elements_text(%s))
"""
# A key that the store never had is erased as well, so that no copy of it can be added later. Ordered, so
# that two erasures of the same keys do not deadlock.
_ERASE: Final = """
INSERT INTO keys.kept (id) SELECT DISTINCT value FROM json_array_elements_text(%s) WHERE true ORDER BY 1
ON CONFLICT (id) DO UPDATE SET epoch = NULL, secret = NULL WHERE kept.secret IS NOT NULL
"""
_MAY_RETIRE: Final = "UPDATE keys.epochs SET oldest = oldest"
_RETIRE: Final = "UPDATE keys.epochs SET oldest = %s WHERE oldest < %s"
_NEXT: Final = "SELECT id, epoch, secret FROM keys.kept WHERE id > %s AND epoch < %s ORDER BY id LIMIT %s"
# The condition excludes keys that are erased at the same time.
_REWRAP: Final = "UPDATE keys.kept SET epoch = %s, secret = %s WHERE id = %s AND epoch < %s"

T = TypeVar("T")


class Transaction(Protocol):
    """A transaction of a `KeyDatabase`, for statements in PostgreSQL's dialect."""

    async def execute(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows."""
        ...

    async def execute_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each of some rows of parameters."""
        ...


class KeyDatabase:
    """The database of a key store; every method raises `KeysUnavailable` if the database cannot be used."""

    async def select(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a short statement that reads, and return its rows."""
        raise NotImplementedError

    async def run(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        """Run one transaction, and return when it will survive a power failure.

        Args:
            work: runs its statements; it may be called again after a connection was lost.

        Raises:
            EpochRetired: it inserts a key of an epoch that is retired.
        """
        raise NotImplementedError

    async def create(self) -> None:
        """Create the tables where that is this database's task."""

    async def check(self) -> None:
        """Check the database for damage; raises `NoKeyStore`."""

    def close(self) -> None:
        """Close its own connection, if it has one."""


class Rotation(NamedTuple):
    """The result of a rotation."""

    destroyed: int | None
    """The newest epoch whose key-encryption key was destroyed now, after all earlier ones."""
    epoch: int
    """The epoch of all keys now."""
    survivors: int
    """The number of keys that are not erased."""
    kept_because: str | None
    """Why older key-encryption keys still exist."""


class KeyStore:
    """Stores keys. An erased key never exists again."""

    def __init__(self, database: KeyDatabase, wrapping: KeyEncryptionKeys) -> None:
        self._database = database
        self._wrapping = wrapping
        self._log_id: str | None = None

    async def issue(self, count: int) -> list[Key]:
        """Create keys, and return them when they will survive a power failure; raises `KeysUnavailable`."""

        async def insert(transaction: Transaction) -> list[Key]:
            # New keys for each attempt: the keys of a lost connection may have been stored.
            keys = [Key.new() for _ in range(count)]
            wrapped = self._wrapping.wrap(keys)
            if not (await transaction.execute(_IS_BOUND, [self._log_id]))[0][0]:
                raise KeysUnavailable(f"{self._database} is not the key store of this log")
            await transaction.execute_many(_INSERT, wrapped)
            return keys

        for _ in range(_TRIES - 1):
            with suppress(EpochRetired):
                return await self._database.run(insert)
        return await self._database.run(insert)

    async def verified_position(self, log_id: str) -> int | None:
        """Check the store, and return the log position up to which it was seen to hold all keys; None: never.

        Raises:
            NoKeyStore: the store is missing or empty.
            KeysUnavailable: the store is damaged, or a key-encryption key is not the one that was used.
        """
        await self._database.check()
        await self._unwrapped(_ONE_OF_EACH_EPOCH)
        rows = await self._database.select(_POSITION, [log_id])
        return int(rows[0][0]) if rows else None

    async def bind(self, log_id: str, position: int) -> None:
        """Record that the store holds all keys of a log up to a position, and issue keys for that log.

        Raises:
            KeysUnavailable: that is not possible now.
        """
        await self._database.create()
        await self._database.run(lambda transaction: transaction.execute(_BIND, [log_id, position]))
        self._log_id = log_id

    async def fetch(self, ids: Collection[str]) -> Mapping[str, Key | None]:
        """Return keys by their ids: None for those that were erased, and nothing for those it never had.

        Raises:
            KeysUnavailable: that is not possible now.
        """
        return await self._unwrapped(_SELECT, to_json(list(ids)))

    async def erase(self, ids: Collection[str]) -> None:
        """Destroy keys permanently; erased ones stay erased.

        Raises:
            KeysUnavailable: it is unknown whether they are destroyed.
        """
        await self._database.run(lambda transaction: transaction.execute(_ERASE, [to_json(list(ids))]))

    async def rotate(self) -> Rotation:
        """Begin a new epoch: rewrap all keys, and destroy the older key-encryption keys.

        Older copies of the store decrypt nothing afterwards. If the process is killed, the store decrypts
        everything, and the next rotation finishes. If key-encryption keys cannot be written, nothing is
        changed, and the result says so.

        Raises:
            KeysUnavailable: the store cannot be used, or a key not be unwrapped; the rotation may be partial.
        """
        await self._database.run(lambda transaction: transaction.execute(_MAY_RETIRE))
        # Unwrapping first: a rotation that must fail creates no key-encryption key.
        survivors = await self._database.run(self._count)
        wrapping = self._wrapping
        try:
            epoch = await asyncio.to_thread(begin_epoch, wrapping.folder)
        except OSError as error:
            return Rotation(None, wrapping.newest, survivors, _reason(wrapping, error))
        failpoint("keys.epoch_made")
        await self._database.run(partial(self._rewrap, epoch))
        failpoint("keys.rewrapped")
        try:
            destroyed = await asyncio.to_thread(destroy_epochs_before, wrapping.folder, epoch)
        except OSError as error:
            return Rotation(None, epoch, survivors, _reason(wrapping, error))
        finally:
            wrapping.clear()
        return Rotation(destroyed, epoch, survivors, None)

    def clear(self) -> None:
        """Drop the key-encryption keys from memory."""
        self._wrapping.clear()

    async def check(self) -> None:
        """Check that keys can be issued and fetched; raises `KeysUnavailable`."""
        self._wrapping.check()
        await self.fetch([])

    def close(self) -> None:
        """Close the connection of its database."""
        self._database.close()

    async def _unwrapped(self, statement: str, *parameters: object) -> Mapping[str, Key | None]:
        rows = await self._database.select(statement, parameters)
        try:
            return self._wrapping.unwrap_all(rows)
        except KeysUnavailable:
            # A rotation may have rewrapped the keys since they were read.
            return self._wrapping.unwrap_all(await self._database.select(statement, parameters))

    async def _count(self, transaction: Transaction) -> int:
        return sum([len(keys) async for keys in self._batches(transaction, before=_ANY_EPOCH)])

    async def _rewrap(self, epoch: int, transaction: Transaction) -> None:
        # First: it waits for transactions that insert keys, and later ones see that the epochs are retired.
        await transaction.execute(_RETIRE, [epoch, epoch])
        async for keys in self._batches(transaction, before=epoch):
            wrapped = self._wrapping.wrap(keys, epoch)
            await transaction.execute_many(_REWRAP, [(epoch, one.secret, one.id, epoch) for one in wrapped])
        failpoint("keys.rewrapping")

    async def _batches(self, transaction: Transaction, *, before: int) -> AsyncIterator[list[Key]]:
        last = ""
        while rows := await transaction.execute(_NEXT, [last, before, _BATCH]):
            last = rows[-1][0]
            yield [key for key in self._wrapping.unwrap_all(rows).values() if key is not None]


def _reason(wrapping: KeyEncryptionKeys, error: OSError) -> str:
    return f"{error.filename or wrapping.folder}: {error.strerror}"
