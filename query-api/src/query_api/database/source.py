"""Execution of statements, and limits on how much one statement reads."""

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, LiteralString, Protocol, TypeVar

from psycopg import AsyncConnection, sql

from ops.base.database.connection import BoundedConnection
from ops.base.database.shared_reads import SharedReads

T = TypeVar("T")

Row = tuple[Any, ...]


class Source(Protocol):
    """A source of read tables: a pool, or a `Replica`."""

    async def read(self, read: Callable[[BoundedConnection], Awaitable[T]], *, patience: float = ...) -> T:
        """Read over a connection; see `ops.base.database.pools.Pool.read`."""


async def fetch(
    source: Source, statement: Any, parameters: Any = None, *, prepare: bool | None = None
) -> list[Any]:
    """Return all rows of a statement.

    The statement is run again if the server ends the connection, so it must be repeatable.

    Args:
        prepare: False if the best plan depends on the parameters: then the statement is planned each time.
    """

    async def read(connection: AsyncConnection) -> list[Any]:
        async with connection.cursor(binary=True) as cursor:
            await cursor.execute(statement, parameters, prepare=prepare)
            return await cursor.fetchall()

    return await source.read(read)


class KeyedRows:
    """Reads a row for each key; concurrent requests share one statement."""

    def __init__(self, source: Source, statement: bytes) -> None:
        self._source, self._statement = source, statement
        self._reads = SharedReads(self._read)

    async def get(self, key: str) -> Row:
        """Return the columns after the key; the statement returns a row for every key."""
        row = await self._reads.get(key)
        if row is None:
            raise AssertionError("every key has a row")
        return row

    async def _read(self, keys: list[str]) -> dict[str, Row]:
        return {row[0]: row[1:] for row in await fetch(self._source, self._statement, (keys,))}


PART_BYTES: Final = 1_000_000
"""Bytes that one statement reads for one answer; a single larger row is still read."""

LIST_BYTES: Final = 16 * 1024 * 1024
"""Longest complete list that is read at once, once for all concurrent requests; longer ones are streamed."""
PAGE_BYTES: Final = 4 * 1024 * 1024
"""Longest page that is read at once; each request reads its own."""

# Sizes come from TOAST pointers, so rows beyond the limit are not fetched.
_WITHIN: Final = sql.SQL(
    """
    SELECT {columns}, found
    FROM (
      SELECT *,
        coalesce(sum({size}) OVER (
          ORDER BY {key} {order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS bytes_before,
        count(*) OVER () AS found
      FROM ({rows}) AS next_rows
    ) AS measured
    WHERE bytes_before < {most}
    ORDER BY {key} {order}
    """
)


def within_bytes(
    rows: sql.Composable,
    *,
    columns: sql.Composable,
    size: LiteralString,
    key: str,
    descending: bool = False,
    most: int = PART_BYTES,
) -> sql.Composed:
    """Return SQL that reads the first rows of a statement, up to a size but at least one.

    The last column, `found`, is the number of rows of the unlimited statement.

    Args:
        rows: the unlimited statement, ordered and with a LIMIT.
        size: SQL of a row's size in bytes, such as `read.json_bytes(changes)`.
        key: the column that the rows are ordered by.
    """
    return _WITHIN.format(
        columns=columns,
        size=sql.SQL(size),
        key=sql.Identifier(key),
        order=sql.SQL("DESC" if descending else "ASC"),
        rows=rows,
        most=sql.Literal(most),
    )


BATCH: Final = 20_000
"""Positions that the first statement scans; most filters find enough there."""
BATCH_SECONDS: Final = 0.2
"""Duration for which the size of later batches is chosen, judging by the previous one."""
MOST_GROWTH: Final = 8


def next_batch_size(
    size: int, seconds: float, *, aim: float = BATCH_SECONDS, most_growth: int = MOST_GROWTH
) -> int:
    """Return the size of the next batch, given the previous batch's size and duration."""
    return max(1, round(size * min(most_growth, aim / max(seconds, 1e-6))))


class Scan:
    """A scan of the positions after `low` and up to `high`, in batches of adapted size."""

    def __init__(self, low: int, high: int, batch: int, *, descending: bool) -> None:
        self.low, self.high, self.descending = low, high, descending
        self._batch, self._began = batch, 0.0

    @property
    def is_left(self) -> bool:
        """Whether positions are left."""
        return self.low < self.high

    @property
    def cursor(self) -> int:
        """The cursor at which a later request continues."""
        return self.high + 1 if self.descending else self.low

    def next(self) -> tuple[int, int]:
        """Begin the next batch: the positions after the first one returned, up to the second."""
        self._began = time.monotonic()
        if self.descending:
            return max(self.low, self.high - self._batch), self.high
        return self.low, min(self.high, self.low + self._batch)

    def finish(self, batch: tuple[int, int], reached: int | None) -> None:
        """Remove a batch, or its part up to the position `reached`."""
        first, last = batch
        if self.descending:
            self.high = first if reached is None else reached - 1
        else:
            self.low = last if reached is None else reached
        if reached is None:
            self._batch = next_batch_size(self._batch, time.monotonic() - self._began)
