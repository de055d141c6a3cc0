"""Which lists can be searched and sorted: what they are searched by does not outlive a crash of the server.

PostgreSQL empties UNLOGGED tables then, as it does where a backup is restored: the tables of search terms,
and together with them `read.searches`, which says of each that it is whole.
"""

from typing import Final

from psycopg import AsyncConnection, sql

from projections.tables import EntityTable

IS_WHOLE: Final = sql.SQL(
    "EXISTS (SELECT FROM read.searches WHERE projection = {projection} AND version = {version})"
)
_SETTLE: Final = """
INSERT INTO read.searches (projection, version, is_settled) VALUES (%s, %s, true)
ON CONFLICT (projection) DO UPDATE SET version = excluded.version, is_settled = true
"""
# The position is never moved by who has an older release's rows, or is to rebuild them.
_UNSETTLED: Final = """
SELECT kept.projection
FROM read.positions AS kept
  JOIN unnest(%s::text[], %s::integer[]) AS known (projection, version) USING (projection, version)
WHERE NOT EXISTS (
  SELECT FROM read.searches AS whole
  WHERE whole.projection = known.projection AND whole.version = known.version AND whole.is_settled
)
"""


async def begin(connection: AsyncConnection, table: EntityTable) -> None:
    """Say that an empty table can be searched, in the transaction that holds its position."""
    if not await is_whole(connection, table):
        await connection.execute(sql.SQL("DELETE FROM {}").format(table.search.identifier))
        await settle(connection, table)


async def settle(connection: AsyncConnection, table: EntityTable) -> None:
    """Say that a table's search terms are those of its rows, in the transaction that holds its position."""
    await connection.execute(_SETTLE, (table.name, table.version))


async def lose(connection: AsyncConnection, table: EntityTable) -> None:
    """Say that a table's search terms are not those of its rows, so that it is not searched with them."""
    await connection.execute("DELETE FROM read.searches WHERE projection = %s", (table.name,))


async def is_whole(connection: AsyncConnection, table: EntityTable) -> bool:
    """Tell whether a table can be searched."""
    statement = sql.SQL("SELECT {}").format(
        IS_WHOLE.format(projection=sql.Literal(table.name), version=sql.Literal(table.version))
    )
    return await (await connection.execute(statement)).fetchone() == (True,)


async def unsettled(connection: AsyncConnection, tables: list[EntityTable]) -> list[EntityTable]:
    """Return the tables of which somebody must look at each row, for it may not be found."""
    cursor = await connection.execute(
        _UNSETTLED, ([table.name for table in tables], [table.version for table in tables])
    )
    names = {name for (name,) in await cursor.fetchall()}
    return [table for table in tables if table.name in names]
