"""Refills the hashes of unique values, which a crash of the server empties, while the log is in use."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from psycopg import AsyncConnection
from psycopg.errors import LockNotAvailable

from command_api.event_store import statements
from ops.base.database.connection import connect
from ops.base.process.failpoints import failpoint

PAGE_STREAMS: Final = 200
"""Streams that are read together; with fewer changed streams left, appends wait for the end."""

Hashes = list[tuple[bytes, str, str | None]]
"""Hashes of unique values, each with its stream and the time for which the record has it (None: always)."""
Hash = Callable[[Sequence[str]], Awaitable[Hashes]]
"""Returns the hashes of the unique values of some streams."""


class Refill(NamedTuple):
    """What a refill is to do."""

    version: int
    """Version of the rules."""
    former_key_id: str | None
    """The id of a key that is unavailable, whose hashes are replaced; None: there are no hashes."""
    key_id: str
    """The id of the key with which `hash_streams` hashes."""
    types: Sequence[str]
    """The entity types with unique fields."""
    hash_streams: Hash


async def refill_unique_values(dsn: str, refill: Refill) -> bool:
    """Hash the unique values of all records; return False if another process or release has that task."""
    _, _, key_id, types, hash_streams = refill
    async with _only_here(dsn) as connection:
        if connection is None or not await _may_refill(connection, refill):
            return False
        await connection.execute(statements.EMPTY_UNIQUE_VALUES)
        position = await _head(connection)
        for name in types:
            last = f"{name}:"
            while streams := await _fetch(connection, statements.STREAMS, [last, f"{name};", PAGE_STREAMS]):
                await _add(connection, await hash_streams(streams))
                last = streams[-1]
                failpoint("unique_values.page_hashed")
        # Records have changed meanwhile, and without a key no append has updated their hashes.
        while True:
            head = await _head(connection)
            changed = await _fetch(connection, statements.CHANGED_STREAMS, [position, head])
            if len(changed) <= PAGE_STREAMS:
                break
            for first in range(0, len(changed), PAGE_STREAMS):
                await _replace(connection, changed[first : first + PAGE_STREAMS], hash_streams)
            position = head
        async with connection.transaction():
            await connection.execute(statements.SESSION)
            ((head,),) = await (await connection.execute(statements.LOCK_APPENDS)).fetchall()
            changed = await _fetch(connection, statements.CHANGED_STREAMS, [position, head])
            await _replace(connection, changed, hash_streams)
            await connection.execute(statements.SET_UNIQUE_KEY, [refill.version, key_id])
    return True


@asynccontextmanager
async def _only_here(dsn: str) -> AsyncIterator[AsyncConnection | None]:
    async with await connect(dsn) as lock, await connect(dsn, autocommit=True) as connection:
        try:
            await lock.execute(statements.LOCK_REFILL)
        except LockNotAvailable:
            yield None
        else:
            yield connection


async def _may_refill(connection: AsyncConnection, refill: Refill) -> bool:
    parameters = [refill.version, refill.version, refill.former_key_id]
    ((may_refill,),) = await (await connection.execute(statements.MAY_REFILL, parameters)).fetchall()
    return bool(may_refill)


async def _head(connection: AsyncConnection) -> int:
    ((position,),) = await (await connection.execute(statements.HEAD)).fetchall()
    return int(position)


async def _fetch(connection: AsyncConnection, statement: str, parameters: Sequence[object]) -> list[str]:
    return [one for (one,) in await (await connection.execute(statement.encode(), parameters)).fetchall()]


async def _add(connection: AsyncConnection, hashes: Hashes) -> None:
    async with connection.cursor() as cursor:
        await cursor.executemany(statements.ADD_UNIQUE_VALUE, hashes)


async def _replace(connection: AsyncConnection, streams: list[str], hash_streams: Hash) -> None:
    hashes = await hash_streams(streams)
    async with connection.transaction():
        await connection.execute(statements.DROP_UNIQUE_VALUES, [streams])
        await _add(connection, hashes)
