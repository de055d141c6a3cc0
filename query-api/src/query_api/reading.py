"""Reading the read tables: each answer comes from one statement, so from one moment."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from psycopg import AsyncConnection, sql

from ops.base.database import Pool, read_with
from projections.tables import EntityTable

# Rows hold JSON text as it is served. It is joined by the server and passed on as bytes, never parsed.
_LIST: Final = sql.SQL(
    """
    SELECT
      standing.etag,
      CASE WHEN standing.etag <> ALL (%(known_etags)s) THEN (
        SELECT convert_to(coalesce(string_agg(list_item::text, ',' ORDER BY id), ''), 'UTF8') FROM {table}
      ) END
    FROM (
      SELECT
        format('"%%s-%%s"', coalesce(max(version), %(version)s), coalesce(max(changed_position), 0)) AS etag
      FROM read.positions
      WHERE projection = %(projection)s
    ) AS standing
    """
)

_SINGLE: Final = sql.SQL("SELECT version, convert_to(record::text, 'UTF8') FROM {table} WHERE id = %s")

_STANDING: Final = """
SELECT head.log_id, head.position, coalesce(kept.position, 0)
FROM log.head LEFT JOIN read.positions AS kept ON kept.projection = %s
"""


@dataclass(frozen=True)
class Content:
    """What there is to answer."""

    etag: str
    json: bytes | None
    """None where the client has it already."""


@dataclass(frozen=True)
class Standing:
    """How far a projection has read which log."""

    log_id: str
    head: int
    position: int


class ReadTables:
    """The read tables as the query API sees them."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def list(self, table: EntityTable, *, known_etags: Collection[str] = ()) -> Content:
        """Return a whole table as `{"content": […]}`, ordered by id.

        Args:
            table: the table.
            known_etags: of lists the client has; if the current one is among them, no row is read.
        """
        parameters = {
            "projection": table.name,
            "version": table.version,
            "known_etags": list(known_etags),
        }
        ((etag, items),) = await self._fetch(_LIST.format(table=table.identifier), parameters)
        return Content(etag, None if items is None else b'{"content":[' + items + b"]}")

    async def single(self, table: EntityTable, entity_id: str) -> Content | None:
        """Return one record, wrapped as the specification wants it; None when there is no such id."""
        rows = await self._fetch(_SINGLE.format(table=table.identifier), (entity_id,))
        if not rows:
            return None
        ((version, record),) = rows
        wrapper = table.entity.wrapper
        return Content(
            f'"{version}"', record if wrapper is None else b'{"%s":%s}' % (wrapper.encode(), record)
        )

    async def standing(self, projection: str) -> Standing:
        """Return how far a projection is; 0 before it has begun."""
        (row,) = await self._fetch(_STANDING, (projection,))
        return Standing(*row)

    async def _fetch(self, statement: Any, parameters: Any) -> Any:
        async def read(connection: AsyncConnection) -> Any:
            async with connection.cursor(binary=True) as cursor:
                await cursor.execute(statement, parameters)
                return await cursor.fetchall()

        return await read_with(self._pool, read)
