"""The table that is filled beside the old one: made, dropped, and put in its place."""

from typing import Final

from psycopg import AsyncConnection, sql

from projections.tables import ReadTable, next_table

_PROJECTOR: Final = "fleetlog_projector"
_READER: Final = "fleetlog_reader"

_TAKE_OVER_QUARANTINE: Final = (
    # Who is still set aside at the same event, is so since then.
    """
    UPDATE read.quarantined_streams AS next SET since = old.since
    FROM read.quarantined_streams AS old
    WHERE next.projection = %(next)s AND old.projection = %(name)s
      AND next.originator_id = old.originator_id AND next.position = old.position
    """,
    "DELETE FROM read.quarantined_streams WHERE projection = %(name)s",
    "UPDATE read.quarantined_streams SET projection = %(name)s WHERE projection = %(next)s",
)

_TAKE_OVER_POSITION: Final = (
    """
    UPDATE read.positions AS old SET
      position = next.position,
      changed_position = next.changed_position,
      version = next.version,
      moment = next.moment,
      generation = old.generation + 1
    FROM read.positions AS next
    WHERE old.projection = %(name)s AND next.projection = %(next)s
    """,
    "DELETE FROM read.positions WHERE projection = %(next)s",
)

# Two indexes are the same when they index the same; only names and table differ.
_INDEXES: Final = """
SELECT relname, regexp_replace(pg_get_indexdef(indexrelid), ' INDEX .* USING ', ' ') AS what
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = %s::regclass
ORDER BY what, relname
"""


async def create(connection: AsyncConnection, table: ReadTable) -> None:
    """Make the empty next table of a table, after dropping what an interrupted rebuild may have left."""
    following = next_table(table)
    async with connection.transaction():
        await drop(connection, table)
        await connection.execute(
            sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL)").format(following.identifier, table.identifier)
        )
        # Every login role of the projections may go on with it, and readers may read it.
        for statement in ("ALTER TABLE {} OWNER TO {}", "GRANT SELECT ON {} TO {}"):
            role = _PROJECTOR if "OWNER" in statement else _READER
            await connection.execute(sql.SQL(statement).format(following.identifier, sql.Identifier(role)))
        await connection.execute(
            "INSERT INTO read.positions (projection, position, changed_position, version)"
            " VALUES (%s, 0, 0, %s)",
            (following.name, following.version),
        )


async def drop(connection: AsyncConnection, table: ReadTable) -> None:
    """Drop the next table of a table with all that belongs to it, if there is one."""
    following = next_table(table)
    async with connection.transaction():
        await connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(following.identifier))
        for kept in ("positions", "quarantined_streams"):
            await connection.execute(
                sql.SQL("DELETE FROM {} WHERE projection = %s").format(sql.Identifier("read", kept)),
                (following.name,),
            )


async def take_place(connection: AsyncConnection, table: ReadTable) -> None:
    """Drop a table and give its name, position and quarantine to the next one.

    Args:
        connection: in a transaction that holds the projection's position, and in which the next table has
            reached it. The table must not be in use by anybody else.
        table: the table.
    """
    following = next_table(table)
    names = {"name": table.name, "next": following.name}
    indexes = [await _indexes(connection, each) for each in (table, following)]
    await connection.execute(sql.SQL("DROP TABLE {}").format(table.identifier))
    await connection.execute(
        sql.SQL("ALTER TABLE {} RENAME TO {}").format(following.identifier, sql.Identifier(table.name))
    )
    for old, new in zip(*indexes, strict=True):
        await connection.execute(
            sql.SQL("ALTER INDEX {} RENAME TO {}").format(sql.Identifier("read", new), sql.Identifier(old))
        )
    for statement in (*_TAKE_OVER_QUARANTINE, *_TAKE_OVER_POSITION):
        await connection.execute(statement, names)


async def _indexes(connection: AsyncConnection, table: ReadTable) -> list[str]:
    cursor = await connection.execute(_INDEXES, (f"read.{table.name}",))
    return [name for name, _ in await cursor.fetchall()]
