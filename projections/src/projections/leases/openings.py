"""Commands that open what is sealed and then end: whoever erases waits until they have.

They are no services: nobody tells them to forget, and what they have opened is of use to them until they end.
So each holds a lock that names what was to be forgotten when it began, and that ends with it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from psycopg import AsyncConnection

from ops.base.database.connection import connect
from projections.failures import ProjectionStopped
from projections.leases.locks import HELD, try_to_lock

_NAMESPACES: Final = range(0x4F70656E, 0x4F70656E + 100)
"""First halves of these locks' keys, "Open" and those after it: so many may run at once. The second half is a
number of `privacy.forgettings`."""
_NUMBER: Final = "SELECT number FROM privacy.forgettings"
_BEFORE: Final = f"""
SELECT count(*) FROM ({HELD}) AS held WHERE namespace BETWEEN %s AND %s AND key < %s
"""  # noqa: S608 - our own


@asynccontextmanager
async def opening(dsn: str) -> AsyncIterator[None]:
    """Have whoever erases wait for as long as the context lasts.

    Args:
        dsn: where to connect, as one of the workers' roles.

    Raises:
        ProjectionStopped: too many do so.
        psycopg.OperationalError: the server cannot be reached.
    """
    async with await connect(dsn, autocommit=True) as connection:
        number = None
        # Somebody may have looked for such locks after the number was read, and before it was locked.
        while number != (number := await _number(connection)):
            if not await _lock(connection, number):
                raise ProjectionStopped("too many commands are under way")
        yield


async def count_openings_before(connection: AsyncConnection, number: int) -> int:
    """Return how many commands are under way that may have opened what was to be forgotten.

    Args:
        connection: any.
        number: what `ops.base.encryption.cache_purge.request_purge` gave.
    """
    asked = (_NAMESPACES[0], _NAMESPACES[-1], number)
    ((count,),) = await (await connection.execute(_BEFORE, asked)).fetchall()
    return int(count)


async def _lock(connection: AsyncConnection, number: int) -> bool:
    for namespace in _NAMESPACES:
        if await try_to_lock(connection, number, namespace=namespace):
            return True
    return False


async def _number(connection: AsyncConnection) -> int:
    ((number,),) = await (await connection.execute(_NUMBER)).fetchall()
    return int(number)
