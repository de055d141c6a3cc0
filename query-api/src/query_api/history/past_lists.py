"""Lists as they were, read from `revisions` a stretch at a time, so that no statement takes long."""

import time
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, Final, NamedTuple

from psycopg import AsyncConnection, sql

from ops.base.entities import EntityType
from projections.tables import REVISIONS
from query_api.bounds import PART_BYTES
from query_api.history.reading import POSITION_AT
from query_api.reading import Source

FIRST_STRETCH: Final = 500
"""Entities that the first statement looks at; later ones at as many as take about so long:"""
STRETCH_SECONDS: Final = 0.05
LONGEST_STRETCH: Final = 4_000

_POINT: Final = sql.SQL(
    """
    SELECT head.log_id, coalesce(kept.generation, 0), coalesce(({position_at}), 0)
    FROM log.head LEFT JOIN read.positions AS kept ON kept.projection = {projection}
    """
).format(position_at=POSITION_AT.format(table=REVISIONS.identifier), projection=sql.Literal(REVISIONS.name))

# Ids and their last versions come from the index alone, in its order; `+ 0` keeps the planner from going
# through the positions instead.
_STRETCH: Final = sql.SQL(
    """
    WITH latest AS MATERIALIZED (
      SELECT entity_id, max(version) AS version
      FROM {table}
      WHERE entity = %(entity)s AND entity_id > %(after)s AND position + 0 <= %(position)s
      GROUP BY entity_id
      ORDER BY entity_id
      LIMIT %(limit)s
    ), measured AS (
      SELECT kept.entity_id, kept.state, coalesce(sum(read.json_bytes(kept.state)) OVER (
        ORDER BY kept.entity_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), 0) AS bytes_before
      FROM latest JOIN {table} AS kept
      ON kept.entity = %(entity)s AND kept.entity_id = latest.entity_id AND kept.version = latest.version
    ), taken AS MATERIALIZED (
      SELECT entity_id, state FROM measured WHERE bytes_before < {most}
    )
    SELECT
      head.log_id,
      coalesce(standing.generation, 0),
      (SELECT count(*) FROM latest) = %(limit)s
        OR (SELECT count(*) FROM taken) < (SELECT count(*) FROM latest),
      (SELECT max(entity_id) FROM taken),
      (
        SELECT convert_to(coalesce(string_agg(state::text, ',' ORDER BY entity_id), ''), 'UTF8') FROM taken
      )
    FROM log.head LEFT JOIN read.positions AS standing ON standing.projection = {projection}
    """
).format(table=REVISIONS.identifier, projection=sql.Literal(REVISIONS.name), most=sql.Literal(2 * PART_BYTES))


class LogPoint(NamedTuple):
    """A position, and what it is one of."""

    log_id: str
    generation: int
    """Of the revisions: how often they were mended."""
    position: int


class Replaced(Exception):
    """The revisions are not those any more from which a list was begun."""


class PastLists:
    """The lists that there were."""

    def __init__(self, source: Source, *, first_stretch: int = FIRST_STRETCH) -> None:
        self._source = source
        self._first_stretch = first_stretch

    async def point_at(self, moment: datetime) -> LogPoint:
        """Return the last position of the log that is not after an instant; 0 before the first event."""
        return LogPoint(*await self._fetch(_POINT, {"moment": moment}))

    async def records(self, entity: EntityType, point: LogPoint) -> AsyncIterator[bytes]:
        """Give the records of all entities of a type as they were, ordered by id: JSON, with commas between.

        Raises:
            Replaced: there is nothing to go on with, for the revisions were rebuilt, or the log restored.
        """
        after, limit = "", self._first_stretch
        while True:
            began = time.monotonic()
            parameters = {"entity": entity.name, "after": after, "position": point.position, "limit": limit}
            log_id, generation, has_more, after, records = await self._fetch(_STRETCH, parameters)
            if (log_id, generation) != (point.log_id, point.generation):
                raise Replaced
            if records:
                yield records
            if not has_more:
                return
            limit = _grown(limit, time.monotonic() - began)

    async def _fetch(self, statement: sql.Composed, parameters: dict[str, Any]) -> tuple[Any, ...]:
        async def read(connection: AsyncConnection) -> tuple[Any, ...]:
            async with connection.cursor(binary=True) as cursor:
                await cursor.execute(statement, parameters)
                (row,) = await cursor.fetchall()
                return row

        return await self._source.read(read)


def _grown(stretch: int, seconds: float) -> int:
    return max(1, min(LONGEST_STRETCH, 2 * stretch, round(stretch * STRETCH_SECONDS / max(seconds, 1e-6))))
