"""How far each projection has read the log: one row each, which makes every event count exactly once."""

from datetime import datetime

from psycopg import AsyncConnection, sql

from projections.failures import BeyondHead, NewerVersion
from projections.tables import ReadTable


class PositionTaken(Exception):
    """Another worker, or a rebuild, has moved the projection since its position was read."""


async def prepare(connection: AsyncConnection, table: ReadTable, *, rebuild: bool = False) -> bool:
    """Make sure that the projection has a position, and that its table holds rows of this version only.

    Args:
        connection: in autocommit mode, or in a transaction.
        table: the projection's table.
        rebuild: empty the table in any case.

    Returns:
        Whether the table was emptied.

    Raises:
        NewerVersion: a later release fills the table; this one must leave it alone.
        BeyondHead: the table holds events that the log does not.
    """
    async with connection.transaction():
        await connection.execute(
            "INSERT INTO read.positions (projection, position, changed_position, version)"
            " VALUES (%s, 0, 0, %s) ON CONFLICT DO NOTHING",
            (table.name, table.version),
        )
        # Locked before anything is deleted: waits for a worker's running batch, and locks out the next.
        cursor = await connection.execute(
            "SELECT version, position FROM read.positions WHERE projection = %s FOR UPDATE", (table.name,)
        )
        ((filled_by, position),) = await cursor.fetchall()
        if filled_by > table.version:
            raise NewerVersion(filled_by, table.version)
        if rebuild or filled_by < table.version:
            await _empty(connection, table)
            return True
        # A statement of its own, so that the head is no older than the position.
        cursor = await connection.execute("SELECT position FROM log.head")
        ((head,),) = await cursor.fetchall()
        if position > head:
            raise BeyondHead(position, head)
        return False


async def _empty(connection: AsyncConnection, table: ReadTable) -> None:
    await connection.execute(
        "UPDATE read.positions SET position = 0, changed_position = 0, moment = NULL, version = %s"
        " WHERE projection = %s",
        (table.version, table.name),
    )
    await connection.execute(sql.SQL("DELETE FROM {}").format(table.identifier))


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
        " WHERE projection = %s AND version = %s AND position = %s",
        (to, moment, table.name, table.version, expected),
    )
    if cursor.rowcount != 1:
        raise PositionTaken


async def mark_changed(connection: AsyncConnection, table: ReadTable, position: int) -> None:
    """Record the last position that changed the table: the list's ETag moves with it, and only with it."""
    await connection.execute(
        "UPDATE read.positions SET changed_position = %s WHERE projection = %s", (position, table.name)
    )
