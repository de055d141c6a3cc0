"""A database session as the engine uses it: over psycopg, or over prepared statements."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from psycopg import AsyncConnection


class Session(Protocol):
    """Executes statements one after the other; `PreparedSession` is one."""

    async def fetch(self, statement: bytes, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement, with `%b` for each parameter, and return its rows."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """Commit at the context's end, or roll back where it raises."""
        ...


class ConnectionSession:
    """A session over a connection of psycopg's, which may be in a transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def fetch(self, statement: bytes, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """See `Session.fetch`."""
        cursor = await self._connection.execute(statement, parameters, binary=True)
        return await cursor.fetchall() if cursor.description else []

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """See `Session.transaction`."""
        return self._connection.transaction()
