"""Session-level advisory locks; the server releases them when the session ends.

Locks only prevent duplicate work. Exactly-once processing rests on the position (`progress.positions`).
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from psycopg import AsyncConnection

from ops.base.database.connection import connect
from projections.failures import ProjectionStopped
from read_model.lock_keys import HELD, NAMESPACE

_COMMAND_NAMESPACES: Final = range(0x4F70656E, 0x4F70656E + 100)
"""First halves of the commands' lock keys; their number limits how many commands run at once. The second half
is `privacy.cache_purges.number` when the command started."""

_LAST_PURGE: Final = "SELECT number FROM privacy.cache_purges"
_COMMANDS_BEFORE: Final = f"""
SELECT count(*) FROM ({HELD}) AS held WHERE namespace BETWEEN %s AND %s AND key < %s
"""  # noqa: S608 - constants of this project


async def try_to_lock(connection: AsyncConnection, key: int, *, namespace: int = NAMESPACE) -> bool:
    """Acquire a lock for the session, and return whether no other session holds it."""
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s::int, %s::int)", (namespace, key))
    row = await cursor.fetchone()
    return bool(row and row[0])


async def unlock(connection: AsyncConnection, key: int) -> None:
    """Release a lock."""
    await connection.execute("SELECT pg_advisory_unlock(%s::int, %s::int)", (NAMESPACE, key))


@asynccontextmanager
async def hold_command_lock(dsn: str) -> AsyncIterator[None]:
    """Make erasures wait until the context ends, for a command that decrypts data.

    A command is no service that can be notified of an erasure. Its lock names the last erasure that preceded
    it, so that later erasures wait for its end.

    Raises:
        ProjectionStopped: too many commands run.
        psycopg.OperationalError: the server cannot be reached.
    """
    async with await connect(dsn, autocommit=True) as connection:
        number = None
        # An erasure may have counted the locks after the number was read and before it was locked.
        while number != (number := await _last_purge(connection)):
            if not await _lock_command(connection, number):
                raise ProjectionStopped("too many commands are running")
        yield


async def count_commands_before(connection: AsyncConnection, number: int) -> int:
    """Return the number of running commands that may have decrypted data of an erasure.

    Args:
        number: the result of `ops.base.encryption.cache_purge.request_purge`.
    """
    parameters = (_COMMAND_NAMESPACES[0], _COMMAND_NAMESPACES[-1], number)
    ((count,),) = await (await connection.execute(_COMMANDS_BEFORE, parameters)).fetchall()
    return int(count)


async def _lock_command(connection: AsyncConnection, number: int) -> bool:
    for namespace in _COMMAND_NAMESPACES:
        if await try_to_lock(connection, number, namespace=namespace):
            return True
    return False


async def _last_purge(connection: AsyncConnection) -> int:
    ((number,),) = await (await connection.execute(_LAST_PURGE)).fetchall()
    return int(number)
