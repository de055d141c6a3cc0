"""Reading the read tables: each answer comes from one statement, so from one moment."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from psycopg import AsyncConnection, sql
from psycopg_pool import AsyncConnectionPool

from ops.base.database import read_with
from projections.tables import EntityTable

# Rows hold JSON text as it is served. It is joined by the server and passed on as bytes, never parsed.
_LIST: Final = sql.SQL(
    """
    SELECT
      standing.etag,
      EXISTS (SELECT FROM read.quarantined_streams WHERE projection = %(projection)s),
      CASE WHEN standing.etag <> ALL (%(known_etags)s) THEN (
        SELECT convert_to(coalesce(string_agg(list_item::text, ',' ORDER BY id), ''), 'UTF8') FROM {table}
      ) END
    FROM (
      SELECT
        format(
          '"%%s-%%s-%%s"',
          coalesce(max(version), %(version)s),
          coalesce(max(generation), 0),
          coalesce(max(changed_position), 0)
        ) AS etag
      FROM read.positions
      WHERE projection = %(projection)s
    ) AS standing
    """
)

_SINGLE: Final = sql.SQL(
    """
    SELECT kept.version, quarantine.holds_it, convert_to(kept.record::text, 'UTF8')
    FROM (
      SELECT EXISTS (
        SELECT FROM read.quarantined_streams
        WHERE projection = %(projection)s AND originator_id = %(stream)s
      ) AS holds_it
    ) AS quarantine
    LEFT JOIN {table} AS kept ON kept.id = %(id)s
    """
)

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
    stale: bool
    """Whether events of it could not be applied, and it is as it was before them."""


@dataclass(frozen=True)
class Missing:
    """That there is no such record."""

    stale: bool = False
    """Whether it may be there, for events of it could not be applied."""


@dataclass(frozen=True)
class Standing:
    """How far a projection has read which log."""

    log_id: str
    head: int
    position: int


class ReadTables:
    """The read tables as the query API sees them."""

    def __init__(self, pool: AsyncConnectionPool) -> None:
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
        ((etag, stale, items),) = await self._fetch(_LIST.format(table=table.identifier), parameters)
        return Content(etag, None if items is None else b'{"content":[' + items + b"]}", stale)

    async def single(self, table: EntityTable, entity_id: str) -> Content | Missing:
        """Return one record, wrapped as the specification wants it."""
        parameters = {
            "projection": table.name,
            "id": entity_id,
            "stream": f"{table.entity.name}:{entity_id}",
        }
        ((version, stale, record),) = await self._fetch(_SINGLE.format(table=table.identifier), parameters)
        if record is None:
            return Missing(stale)
        wrapper = table.entity.wrapper
        json = record if wrapper is None else b'{"%s":%s}' % (wrapper.encode(), record)
        return Content(f'"{version}"', json, stale)

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
