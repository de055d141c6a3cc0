"""Rewrites search tables, because a deleted row stays in its file until other rows overwrite it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from psycopg import AsyncConnection, sql

from projections.progress import positions
from projections.rebuild.next_table import create_like, drop_old_table
from projections.workers.erasure.erasures import Erasure
from read_model.tables import EntityTable, next_table

# Readers wait for these statements only; if a long query delays them, the step is retried.
_SWAP: Final = sql.SQL(
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
    """Replace a table's search table with a copy without the rows of erased records.

    Args:
        connection: in autocommit mode.

    Raises:
        psycopg.errors.LockNotAvailable: a query reads the search table for too long.
    """
    search = table.search
    following = next_table(search)
    async with connection.transaction():
        await positions.lock(connection, table)  # blocks writers
        await create_like(connection, following, search, unlogged=True)
        ids, versions = [one.event.entity_id for one in erasures], [one.event.version for one in erasures]
        await connection.execute(
            _COPY.format(next=following.identifier, table=search.identifier), (ids, versions)
        )
        former = replace(search, name=f"{search.name}_old")
        statement = _SWAP.format(
            table=search.identifier,
            former=sql.Identifier(former.name),
            next=following.identifier,
            name=sql.Identifier(search.name),
        )
        await connection.execute(statement, prepare=False)
        await drop_old_table(connection, search)
