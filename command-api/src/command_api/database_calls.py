"""Calls of database functions by rare requests: sign-outs, tasks of the workers, saved views."""

import asyncio
from collections.abc import Callable
from typing import Any

from psycopg.rows import args_row

from ops.base.database.connection import ANSWER_SECONDS, connect


class DatabaseCalls:
    """Calls functions of the database, over a new connection each and one at a time."""

    def __init__(self, dsn: str) -> None:
        """Prepare calls with a DSN of a role that may execute the functions."""
        self._dsn = dsn
        # A burst of requests must not use up the database's connections.
        self._turn = asyncio.Lock()

    async def call(
        self, statement: str, *parameters: Any, make: Callable[..., Any] = lambda value: value
    ) -> Any:
        """Return the first row of a statement, converted by `make`; None without a row.

        Raises:
            psycopg.OperationalError: the database cannot be reached.
        """
        async with (
            self._turn,
            await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection,
            connection.cursor(row_factory=args_row(make)) as cursor,
        ):
            await cursor.execute(statement.encode(), parameters)
            return await cursor.fetchone()
