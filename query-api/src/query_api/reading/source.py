"""Where the read tables are read, and how a statement is run there."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from psycopg import AsyncConnection

from ops.base.database.connection import BoundedConnection
from ops.base.database.shared_reads import SharedReads

T = TypeVar("T")

Row = tuple[Any, ...]


class Source(Protocol):
    """What read tables are read from: a pool, or a `Replica`."""

    async def read(self, read: Callable[[BoundedConnection], Awaitable[T]], *, patience: float = ...) -> T:
        """Read over a connection; see `ops.base.database.pools.read_with`."""


async def fetch(
    source: Source, statement: Any, parameters: Any = None, *, prepare: bool | None = None
) -> list[Any]:
    """Return all rows of a statement.

    Args:
        source: where it is run; again, where the server ended the connection, so it must bear that.
        statement: SQL.
        parameters: its parameters.
        prepare: False, where the best way depends on what is looked for: then it is planned each time.
    """

    async def read(connection: AsyncConnection) -> list[Any]:
        async with connection.cursor(binary=True) as cursor:
            await cursor.execute(statement, parameters, prepare=prepare)
            return await cursor.fetchall()

    return await source.read(read)


class KeyedRows:
    """A row for each key, by one statement with all that are asked for meanwhile."""

    def __init__(self, source: Source, statement: bytes) -> None:
        self._source, self._statement = source, statement
        self._reads = SharedReads(self._read)

    async def get(self, key: str) -> Row:
        """Return what the statement says of a key, after the key itself: it has a row for each."""
        row = await self._reads.get(key)
        if row is None:
            raise AssertionError("whatever is asked for has a row")
        return row

    async def _read(self, keys: list[str]) -> dict[str, Row]:
        return {row[0]: row[1:] for row in await fetch(self._source, self._statement, (keys,))}
