"""Completeness of the search terms, which do not survive a crash of the server.

After a crash, or a restore, PostgreSQL empties UNLOGGED tables: the tables of search terms, and
`read.searches`, which has a row for each table whose terms are complete.
"""

from typing import Final

from psycopg import AsyncConnection, sql

from read_model.tables import EntityTable

_IS_COMPLETE: Final = "SELECT EXISTS (SELECT FROM read.searches WHERE projection = %s AND version = %s)"
_MARK_COMPLETE: Final = """
INSERT INTO read.searches (projection, version, is_verified) VALUES (%s, %s, true)
ON CONFLICT (projection) DO UPDATE SET version = excluded.version, is_verified = true
"""
# A table that another release fills, or that must be rebuilt, is left out.
_UNVERIFIED: Final = """
SELECT kept.projection
FROM read.positions AS kept
  JOIN unnest(%s::text[], %s::integer[]) AS known (projection, version) USING (projection, version)
WHERE NOT EXISTS (
  SELECT FROM read.searches AS complete
  WHERE complete.projection = known.projection AND complete.version = known.version AND complete.is_verified
)
"""


async def begin(connection: AsyncConnection, table: EntityTable) -> None:
    """Mark an empty table's search terms as complete, in the transaction that locks its position."""
    if not await is_complete(connection, table):
        await connection.execute(sql.SQL("DELETE FROM {}").format(table.search.identifier))
        await mark_complete(connection, table)


async def mark_complete(connection: AsyncConnection, table: EntityTable) -> None:
    """Record that the search terms match the rows, in the transaction that locks the position."""
    await connection.execute(_MARK_COMPLETE, (table.name, table.version))


async def is_complete(connection: AsyncConnection, table: EntityTable) -> bool:
    """Return whether a table can be searched."""
    cursor = await connection.execute(_IS_COMPLETE, (table.name, table.version))
    return await cursor.fetchone() == (True,)


async def unverified(connection: AsyncConnection, tables: list[EntityTable]) -> list[EntityTable]:
    """Return the tables whose search terms are lost, or must be compared with a rebuilt table's rows."""
    cursor = await connection.execute(
        _UNVERIFIED, ([table.name for table in tables], [table.version for table in tables])
    )
    names = {name for (name,) in await cursor.fetchall()}
    return [table for table in tables if table.name in names]
