"""How far each projection has read the log: one row each, which makes every event count exactly once."""

from functools import lru_cache
from typing import Final, NamedTuple

from psycopg import AsyncConnection, sql

from projections.failures import BeyondHead, NewerVersion, OlderVersion
from projections.progress import searches
from projections.reading.log import read_head
from projections.tables import EntityTable, ReadTable

_ADVANCE: Final = sql.SQL(
    """
    WITH expected (projection, version, generation, changed) AS (VALUES {expected}),
    held AS MATERIALIZED (
      SELECT FROM read.positions AS kept JOIN expected USING (projection, version, generation)
      WHERE kept.position = %b
      FOR UPDATE OF kept SKIP LOCKED
    ),
    advanced AS (
      UPDATE read.positions AS kept SET
        position = %b,
        moment = %b,
        changed_position = coalesce(expected.changed, kept.changed_position)
      FROM expected
      WHERE kept.projection = expected.projection AND (SELECT count(*) FROM held) = {count}
      RETURNING kept.projection
    )
    """
)


class Place(NamedTuple):
    """The progress of a projection: while neither field changes, nobody has changed its table."""

    position: int
    """The last one that it has handled."""
    generation: int
    """The number of times that the table was renewed without a next event."""


class PositionTaken(Exception):
    """Another worker, or a rebuild, has moved the projection since its position was read."""


async def prepare(connection: AsyncConnection, table: ReadTable) -> None:
    """Make sure that the projection has a position, and that its table holds rows of this version only.

    Args:
        connection: in autocommit mode, or in a transaction.
        table: the projection's table.

    Raises:
        OlderVersion: an earlier release filled the table: it must be rebuilt.
        NewerVersion: a later release fills the table; this one must leave it alone.
        BeyondHead: the table holds events that the log does not.
    """
    async with connection.transaction():
        await begin(connection, table)
        filled_by, position = await lock(connection, table)
        if position == 0 and filled_by < table.version:  # no row is of any version
            await connection.execute(
                "UPDATE read.positions SET version = %s WHERE projection = %s", (table.version, table.name)
            )
            filled_by = table.version
        compare_versions(filled_by, table)
        if position == 0 and isinstance(table, EntityTable):
            await searches.begin(connection, table)
        # A statement of its own, so that the head is no older than the position.
        head = await read_head(connection)
        if position > head:
            raise BeyondHead(position, head)


async def begin(connection: AsyncConnection, table: ReadTable) -> int:
    """Give the projection a position before the log's first event, unless it has one already.

    Returns:
        The version that fills the table.
    """
    await connection.execute(
        "INSERT INTO read.positions (projection, position, changed_position, version)"
        " VALUES (%s, 0, 0, %s) ON CONFLICT DO NOTHING",
        (table.name, table.version),
    )
    cursor = await connection.execute(
        "SELECT version FROM read.positions WHERE projection = %s", (table.name,)
    )
    ((filled_by,),) = await cursor.fetchall()
    return int(filled_by)


async def lock(connection: AsyncConnection, table: ReadTable) -> tuple[int, int]:
    """Lock the position until the transaction's end: waits for a running batch, and locks out the next.

    Whoever writes the projection's table or its quarantine locks the position first.

    Returns:
        The version that fills the table, and the position; zeros where the projection has never run.
    """
    cursor = await connection.execute(
        "SELECT version, position FROM read.positions WHERE projection = %s FOR UPDATE", (table.name,)
    )
    row = await cursor.fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


async def read(connection: AsyncConnection, table: ReadTable) -> int:
    """Return the last position that the projection has handled; raises what `read_place` does."""
    return (await read_place(connection, table)).position


async def read_place(connection: AsyncConnection, table: ReadTable) -> Place:
    """Return the progress of the projection.

    Raises:
        PositionTaken: another version keeps the table now.
    """
    cursor = await connection.execute(
        "SELECT position, generation FROM read.positions WHERE projection = %s AND version = %s",
        (table.name, table.version),
    )
    row = await cursor.fetchone()
    if row is None:
        raise PositionTaken
    return Place(*row)


@lru_cache(maxsize=100)
def advancing(places: tuple[tuple[ReadTable, int, bool], ...]) -> bytes:
    """Return the beginning of a statement that moves projections from one position to another.

    Its `advanced` has rows only if all of them are at that position and nobody holds one of them: a lock on
    one projection does not delay the others. Its parameters are the positions that changed those tables that
    are changed, the position that is compared, the one that is set, and the moment of that.

    Args:
        places: the table of each projection, its generation, and whether it is changed.
    """
    expected = sql.SQL(", ").join(
        sql.SQL("({}, {}::integer, {}::bigint, {}::bigint)").format(
            sql.Literal(table.name),
            sql.Literal(table.version),
            sql.Literal(generation),
            sql.SQL("%b" if is_changed else "NULL"),
        )
        for table, generation, is_changed in places
    )
    statement = _ADVANCE.format(expected=expected, count=sql.Literal(len(places)))
    return b" ".join(statement.as_bytes(None).split())


async def mark_renewed(connection: AsyncConnection, table: ReadTable) -> None:
    """Record that the table has changed without a next event: the list's ETag moves with it."""
    await connection.execute(
        "UPDATE read.positions SET generation = generation + 1 WHERE projection = %s", (table.name,)
    )


async def require_this_version(connection: AsyncConnection, table: ReadTable) -> None:
    """See that no other release has filled the table, without waiting for anybody.

    Raises:
        OlderVersion: an earlier one has: the table must be rebuilt.
        NewerVersion: a later one has; this one must leave it alone.
    """
    cursor = await connection.execute(
        "SELECT version FROM read.positions WHERE projection = %s AND position > 0", (table.name,)
    )
    row = await cursor.fetchone()
    compare_versions(row[0] if row else table.version, table)


def compare_versions(filled_by: int, table: ReadTable) -> None:
    """See that this release fills a table; raises as `require_this_version` does."""
    if filled_by > table.version:
        raise NewerVersion(filled_by, table.version)
    if filled_by < table.version:
        raise OlderVersion(filled_by, table.version)
