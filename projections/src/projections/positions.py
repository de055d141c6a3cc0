"""How far each projection has read the log: one row each, which makes every event count exactly once."""

from datetime import datetime

from psycopg import AsyncConnection

from projections.failures import BeyondHead, NewerVersion, OlderVersion
from projections.log import read_head
from projections.tables import ReadTable


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
        _compare_versions(filled_by, table)
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
    """Return the last position that the projection has handled.

    Raises:
        PositionTaken: another version keeps the table now.
    """
    cursor = await connection.execute(
        "SELECT position FROM read.positions WHERE projection = %s AND version = %s",
        (table.name, table.version),
    )
    row = await cursor.fetchone()
    if row is None:
        raise PositionTaken
    return int(row[0])


async def advance(
    connection: AsyncConnection, table: ReadTable, *, expected: int, to: int, moment: datetime
) -> None:
    """Compare and set the position, in the transaction that will write the rows; locks out other workers.

    Args:
        connection: a connection in a transaction.
        table: the projection's table.
        expected: the position from which the batch was read.
        to: the batch's last position.
        moment: when the batch's last event happened.

    Raises:
        PositionTaken: the position is no longer `expected`; roll back and read it again.
    """
    cursor = await connection.execute(
        "UPDATE read.positions SET position = %s, moment = %s"
        " WHERE projection = %s AND version = %s AND position = %s RETURNING position",
        (to, moment, table.name, table.version, expected),
    )
    if await cursor.fetchone() is None:
        raise PositionTaken


async def mark_changed(connection: AsyncConnection, table: ReadTable, position: int) -> None:
    """Record the last position that changed the table: the list's ETag moves with it, and only with it."""
    await connection.execute(
        "UPDATE read.positions SET changed_position = %s WHERE projection = %s", (position, table.name)
    )


async def mark_renewed(connection: AsyncConnection, table: ReadTable) -> None:
    """Record that the table has changed without a next event: the list's ETag moves with it."""
    await connection.execute(
        "UPDATE read.positions SET generation = generation + 1 WHERE projection = %s", (table.name,)
    )


async def set_filled(connection: AsyncConnection, table: ReadTable, position: int, *, changed: int) -> None:
    """Set the position of a table that only the caller knows of.

    Args:
        connection: any.
        table: the table.
        position: the last position that it includes.
        changed: the last position that changed it.
    """
    await connection.execute(
        "UPDATE read.positions SET position = %s, changed_position = %s,"
        " moment = (SELECT moment FROM log.events WHERE notification_id = %s) WHERE projection = %s",
        (position, changed, position, table.name),
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
    _compare_versions(row[0] if row else table.version, table)


def _compare_versions(filled_by: int, table: ReadTable) -> None:
    if filled_by > table.version:
        raise NewerVersion(filled_by, table.version)
    if filled_by < table.version:
        raise OlderVersion(filled_by, table.version)
