"""Comparing the next table with the one whose place it is to take, while both go on changing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from psycopg import AsyncConnection, sql

from projections.engine.projection import Projection
from projections.tables import next_table

EXAMPLES: Final = 10
MOST_UNSETTLED: Final = 10_000
"""Where more has changed since the one table's position, the tables are too far apart to compare."""

_POSITIONS: Final = """
SELECT coalesce(min(position), 0), coalesce(max(position), 0) FROM read.positions WHERE projection IN (%s, %s)
"""

# The keys of what only one of the tables has seen yet.
_UNSETTLED: Final = """
SELECT DISTINCT CASE WHEN %(prefix)s = '' THEN notification_id::text
                     ELSE substr(originator_id, length(%(prefix)s) + 1) END
FROM log.events
WHERE notification_id > %(low)s AND notification_id <= %(high)s AND starts_with(originator_id, %(prefix)s)
LIMIT %(most)s + 1
"""

# `*<>` compares the bytes of rows: JSON has no operator of its own, and a row's text takes longer to make.
# Where the next table has no box, for the key was erased, the old one's tells nothing to anybody.
_DIFFERENT: Final = sql.SQL(
    """
    SELECT count(*), (array_agg(key ORDER BY key))[1:{examples}]
    FROM (
      SELECT coalesce(old.{key}, next.{key})::text AS key
      FROM {old} AS old FULL JOIN {next} AS next ON old.{key} = next.{key}
      WHERE (old.{key} IS NULL) <> (next.{key} IS NULL)
        OR (old *<> next AND json_populate_record(old, '{{"box": null}}') *<> next)
    ) AS different
    WHERE key <> ALL (%s)
    """
)
_DIFFERENT_AMONG: Final = sql.SQL(
    """
    SELECT count(*), (array_agg(key ORDER BY key))[1:{examples}]
    FROM unnest(%s::text[]) AS wanted (key)
    LEFT JOIN {old} AS old ON old.{key} = wanted.key::{type}
    LEFT JOIN {next} AS next ON next.{key} = wanted.key::{type}
    WHERE (old.{key} IS NULL) <> (next.{key} IS NULL)
        OR (old *<> next AND json_populate_record(old, '{{"box": null}}') *<> next)
    """
)


@dataclass(frozen=True)
class Differences:
    """Where two tables differ."""

    count: int
    examples: tuple[str, ...]
    """The keys of some of the rows: ids or positions."""
    unsettled: Sequence[str] = ()
    """The keys of rows that could not be compared, for only one table has seen their last events."""

    def __add__(self, other: "Differences") -> "Differences":
        examples = (*self.examples, *other.examples)[:EXAMPLES]
        return Differences(self.count + other.count, examples, other.unsettled)


async def compare(connection: AsyncConnection, projection: Projection) -> Differences | None:
    """Compare a projection's table with its next one, but for what has changed most recently.

    Args:
        connection: in a transaction that sees both tables and their positions as of one moment.
        projection: which.

    Returns:
        Where they differ; None: they are too far apart to compare.
    """
    unsettled = await _unsettled(connection, projection)
    if len(unsettled) > MOST_UNSETTLED:
        return None
    cursor = await connection.execute(_format(_DIFFERENT, projection), (unsettled,))
    ((count, examples),) = await cursor.fetchall()
    return Differences(count, tuple(examples or ()), unsettled)


async def compare_again(
    connection: AsyncConnection, projection: Projection, keys: Sequence[str]
) -> Differences:
    """Compare some rows again, in the transaction in which neither table moves on."""
    still = set(await _unsettled(connection, projection))
    settled = [key for key in keys if key not in still]
    cursor = await connection.execute(_format(_DIFFERENT_AMONG, projection), (settled,))
    ((count, examples),) = await cursor.fetchall()
    return Differences(count, tuple(examples or ()), [key for key in keys if key in still])


async def _unsettled(connection: AsyncConnection, projection: Projection) -> list[str]:
    names = (projection.table.name, next_table(projection.table).name)
    ((low, high),) = await (await connection.execute(_POSITIONS, names)).fetchall()
    cursor = await connection.execute(
        _UNSETTLED,
        {"low": low, "high": high, "most": MOST_UNSETTLED, "prefix": projection.prefix},
    )
    return [key for (key,) in await cursor.fetchall()]


def _format(statement: sql.SQL, projection: Projection) -> sql.Composed:
    return statement.format(
        examples=sql.Literal(EXAMPLES),
        key=sql.Identifier(projection.key),
        type=sql.SQL("bigint" if projection.key == "position" else "text"),
        old=projection.table.identifier,
        next=next_table(projection.table).identifier,
    )
