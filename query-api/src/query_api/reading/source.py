"""Reads from PostgreSQL: how a statement is run, and how much one reads at once."""

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, LiteralString, Protocol, TypeVar

from psycopg import AsyncConnection, sql

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


PART_BYTES: Final = 1_000_000
"""Of what is read at once for one answer; a single larger row still comes."""

LIST_BYTES: Final = 16 * 1024 * 1024
"""Of a whole list that is read at once, by all who ask for it together; a longer one is sent in parts."""
PAGE_BYTES: Final = 4 * 1024 * 1024
"""The same of a page, which everybody reads alone."""

# Sizes are read from pointers; what does not fit is not fetched.
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
    """Return what reads the first of some rows, but at least one, and with each how many there were.

    Args:
        rows: the statement that reads all of them, in their order and with a limit.
        columns: what is wanted of each.
        size: SQL that measures a row, such as `read.json_bytes(changes)`.
        key: the column that they are ordered by.
        descending: whether the greatest comes first.
        most: bytes.
    """
    return _WITHIN.format(
        columns=columns,
        size=sql.SQL(size),
        key=sql.Identifier(key),
        order=sql.SQL("DESC" if descending else "ASC"),
        rows=rows,
        most=sql.Literal(most),
    )


STRETCH: Final = 20_000
"""Positions that the first statement looks at; most filters find enough there."""
STRETCH_SECONDS: Final = 0.2
"""Later ones look at as many as take about so long, judging by the one before."""
MOST_GROWTH: Final = 8


def grown(
    stretch: int, seconds: float, *, aim: float = STRETCH_SECONDS, most_growth: int = MOST_GROWTH
) -> int:
    """Return how many to look at next, after having looked at so many for so long."""
    return max(1, round(stretch * min(most_growth, aim / max(seconds, 1e-6))))


class Span:
    """What is left of a span of positions, after `low` and up to `high`."""

    def __init__(self, low: int, high: int, stretch: int, *, descending: bool) -> None:
        self.low, self.high, self.descending = low, high, descending
        self._stretch, self._began = stretch, 0.0

    @property
    def is_left(self) -> bool:
        """Whether there is more to look at."""
        return self.low < self.high

    @property
    def cursor(self) -> int:
        """Where a later part goes on."""
        return self.high + 1 if self.descending else self.low

    def next(self) -> tuple[int, int]:
        """Begin to look at the next stretch: after the first position, up to the second."""
        self._began = time.monotonic()
        if self.descending:
            return max(self.low, self.high - self._stretch), self.high
        return self.low, min(self.high, self.low + self._stretch)

    def go_on(self, stretch: tuple[int, int], reached: int | None) -> None:
        """Leave out a stretch that was looked at.

        Args:
            stretch: which.
            reached: the last position that was looked at; None: all were.
        """
        first, last = stretch
        if self.descending:
            self.high = first if reached is None else reached - 1
        else:
            self.low = last if reached is None else reached
        if reached is None:
            self._stretch = grown(self._stretch, time.monotonic() - self._began)
