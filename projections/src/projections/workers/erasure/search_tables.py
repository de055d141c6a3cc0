"""Search tables written anew: a row that is deleted is in the file until something takes its place."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from psycopg import AsyncConnection, sql

from projections.progress import positions
from projections.rebuild.next_table import make_like, tidy_up
from projections.tables import EntityTable, next_table
from projections.workers.erasure.erasures import Erasure

# Readers wait for the last statements only, and whoever keeps these waiting has it tried again.
_TAKE_PLACE: Final = sql.SQL(
    """
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE {table} RENAME TO {former};
    ALTER TABLE {next} RENAME TO {name}
    """
)
_COPY: Final = sql.SQL(
    """
    INSERT INTO {next}
    SELECT kept.* FROM {table} AS kept
    WHERE NOT EXISTS (
      SELECT FROM unnest(%s::text[], %s::bigint[]) AS erased (id, version)
      WHERE kept.id = erased.id AND kept.version <= erased.version
    )
    """
)


async def rewrite(connection: AsyncConnection, table: EntityTable, erasures: Sequence[Erasure]) -> None:
    """Put a copy in a search table's place that never had the rows of who was erased.

    Args:
        connection: in autocommit mode.
        table: whose.
        erasures: what is not copied, if it is still there.

    Raises:
        psycopg.errors.LockNotAvailable: others read the table for too long.
    """
    search = table.search
    following = next_table(search)
    async with connection.transaction():
        await positions.lock(connection, table)  # nobody writes to it meanwhile
        await make_like(connection, following, search, unlogged=True)
        ids, versions = [one.place.entity_id for one in erasures], [one.place.version for one in erasures]
        await connection.execute(
            _COPY.format(next=following.identifier, table=search.identifier), (ids, versions)
        )
        former = replace(search, name=f"{search.name}_old")
        statement = _TAKE_PLACE.format(
            table=search.identifier,
            former=sql.Identifier(former.name),
            next=following.identifier,
            name=sql.Identifier(search.name),
        )
        await connection.execute(statement, prepare=False)
        await tidy_up(connection, search)
