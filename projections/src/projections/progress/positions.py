"""The position of each projection in the log: one row each, which makes every event count exactly once."""

from functools import lru_cache
from typing import Final, NamedTuple

from psycopg import AsyncConnection, sql

from projections.event_log import read_head
from projections.failures import BeyondHead, NewerVersion, OlderVersion
from projections.progress import searches
from read_model.tables import EntityTable, ReadTable

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


class TablePosition(NamedTuple):
    """The progress of a projection: while both fields are equal, its table is unchanged."""

    position: int
    """The last position that was handled."""
    generation: int
    """The number of times that rows changed without a next event, such as by a rebuild."""


class PositionTaken(Exception):
    """Another worker, or a rebuild, has moved the projection since its position was read."""


async def prepare(connection: AsyncConnection, table: ReadTable) -> None:
    """Ensure that the projection has a position, and that its table holds only rows of this version.

    Raises:
        OlderVersion: an earlier release filled the table, which must be rebuilt.
        NewerVersion: a later release fills the table.
        BeyondHead: the table holds events that the log lacks.
    """
    async with connection.transaction():
        await begin(connection, table)
        filled_by, position = await lock(connection, table)
        if position == 0 and filled_by < table.version:  # the table is empty
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
    """Create the projection's position 0 if it has none, and return the version that fills the table."""
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
    """Lock the position until the transaction ends: wait for a running batch, and block the next.

    Every writer of the projection's table or quarantine locks the position first.

    Returns:
        The version that fills the table, and the position; zeros if the projection has never run.
    """
    cursor = await connection.execute(
        "SELECT version, position FROM read.positions WHERE projection = %s FOR UPDATE", (table.name,)
    )
    row = await cursor.fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


async def read_place(connection: AsyncConnection, table: ReadTable) -> TablePosition:
    """Return the progress of the projection; raise PositionTaken if another version fills the table."""
    cursor = await connection.execute(
        "SELECT position, generation FROM read.positions WHERE projection = %s AND version = %s",
        (table.name, table.version),
    )
    row = await cursor.fetchone()
    if row is None:
        raise PositionTaken
    return TablePosition(*row)


@lru_cache(maxsize=100)
def advancing(places: tuple[tuple[ReadTable, int, bool], ...]) -> bytes:
    """Return the WITH clause that moves projections from one common position to another.

    Its `advanced` has rows only if all projections are at the expected position and unlocked: a lock on one
    projection does not delay the others. Parameters: for each changed table the position of the change; the
    expected position; the new position; the time of the event there.

    Args:
        places: table and generation of each projection, and whether the table changes.
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
    """Record that the table changed without a next event, so that the ETags of its lists change."""
    await connection.execute(
        "UPDATE read.positions SET generation = generation + 1 WHERE projection = %s", (table.name,)
    )


async def require_this_version(connection: AsyncConnection, table: ReadTable) -> None:
    """Check without locks that no other release has filled the table.

    Raises:
        OlderVersion: an earlier release has; the table must be rebuilt.
        NewerVersion: a later release has; this release must not write to the table.
    """
    cursor = await connection.execute(
        "SELECT version FROM read.positions WHERE projection = %s AND position > 0", (table.name,)
    )
    row = await cursor.fetchone()
    compare_versions(row[0] if row else table.version, table)


def require_not_newer(filled_by: int, table: ReadTable) -> None:
    """Raise NewerVersion if a later release fills the table."""
    if filled_by > table.version:
        raise NewerVersion(filled_by, table.version)


def compare_versions(filled_by: int, table: ReadTable) -> None:
    """Raise OlderVersion or NewerVersion if another release fills the table."""
    require_not_newer(filled_by, table)
    if filled_by < table.version:
        raise OlderVersion(filled_by, table.version)
