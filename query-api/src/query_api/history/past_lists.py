"""Lists as they are or were, read from `revisions` a stretch at a time, so that no statement takes long."""

import time
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from psycopg import sql

from ops.base.entities import EntityType
from projections.tables import REVISIONS
from query_api.bounds import PART_BYTES
from query_api.history.reading import POSITION_AT
from query_api.reading import Source, fetch

FIRST_STRETCH: Final = 500
"""Entities that the first statement looks at; later ones at as many as take about so long:"""
STRETCH_SECONDS: Final = 0.05
LONGEST_STRETCH: Final = 1_600

_POINT: Final = sql.SQL(
    """
    SELECT head.log_id, coalesce(kept.generation, 0), coalesce(({position_at}), 0)
    FROM log.head LEFT JOIN read.positions AS kept ON kept.projection = {projection}
    """
).format(position_at=POSITION_AT.format(table=REVISIONS.identifier), projection=sql.Literal(REVISIONS.name))

_NOW: Final = sql.SQL(
    """
    SELECT identity.log_id, coalesce(kept.generation, 0)
    FROM log.identity LEFT JOIN read.positions AS kept ON kept.projection = {projection}
    """
).format(projection=sql.Literal(REVISIONS.name))

# Ids and their last versions come from the index alone, in its order; `+ 0` keeps the planner from going
# through the positions instead.
_LATEST: Final = sql.SQL(
    """
    SELECT entity_id AS key, entity_id, max(version) AS version
    FROM {table}
    WHERE entity = %(entity)s AND entity_id > %(after)s AND position + 0 <= %(position)s
    GROUP BY entity_id
    ORDER BY entity_id
    LIMIT %(limit)s
    """
).format(table=REVISIONS.identifier)

_NAMED: Final = sql.SQL(
    """
    SELECT number AS key, entity_id, version
    FROM unnest(%(ids)s::text[], %(versions)s::bigint[]) WITH ORDINALITY AS row (entity_id, version, number)
    WHERE number > %(after)s
    ORDER BY number
    LIMIT %(limit)s
    """
)

_STRETCH: Final = sql.SQL(
    """
    WITH wanted AS MATERIALIZED ({wanted}), measured AS (
      SELECT wanted.key, kept.state, coalesce(sum(read.json_bytes(kept.state)) OVER (
        ORDER BY wanted.key ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), 0) AS bytes_before
      FROM wanted JOIN {table} AS kept
      ON kept.entity = %(entity)s AND kept.entity_id = wanted.entity_id AND kept.version = wanted.version
    ), taken AS MATERIALIZED (
      SELECT key, state FROM measured WHERE bytes_before < {most}
    )
    SELECT
      identity.log_id,
      coalesce(progress.generation, 0),
      (SELECT count(*) FROM wanted) = %(limit)s
        OR (SELECT count(*) FROM taken) < (SELECT count(*) FROM wanted),
      (SELECT max(key) FROM taken),
      (SELECT convert_to(coalesce(string_agg(state::text, ',' ORDER BY key), ''), 'UTF8') FROM taken)
    FROM log.identity LEFT JOIN read.positions AS progress ON progress.projection = {projection}
    """
)


def _stretch(wanted: sql.Composable) -> sql.Composed:
    return _STRETCH.format(
        wanted=wanted,
        table=REVISIONS.identifier,
        projection=sql.Literal(REVISIONS.name),
        most=sql.Literal(PART_BYTES),
    )


_LATEST_STRETCH: Final = _stretch(_LATEST)
_NAMED_STRETCH: Final = _stretch(_NAMED)


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
        (row,) = await fetch(self._source, _POINT, {"moment": moment})
        return LogPoint(*row)

    async def point_of(self, position: int) -> LogPoint:
        """Return a position that the revisions have reached, as one of the log that they are of now."""
        ((log_id, generation),) = await fetch(self._source, _NOW)
        return LogPoint(log_id, generation, position)

    def records(self, entity: EntityType, point: LogPoint) -> AsyncIterator[bytes]:
        """Give the records of all entities of a type as they were, ordered by id: JSON, with commas between.

        Raises:
            Replaced: there is nothing to go on with, for the revisions were rebuilt, or the log restored.
        """
        parameters = {"entity": entity.name, "position": point.position}
        return self._stretches(_LATEST_STRETCH, parameters, point, before="")

    def rows(
        self, entity: EntityType, point: LogPoint, rows: Sequence[tuple[str, int]]
    ) -> AsyncIterator[bytes]:
        """Give some records as they were at some versions, in the order they are named in; see `records`.

        Args:
            entity: their type.
            point: when these versions were there.
            rows: ids and versions.
        """
        parameters = {
            "entity": entity.name,
            "ids": [entity_id for entity_id, _ in rows],
            "versions": [version for _, version in rows],
        }
        return self._stretches(_NAMED_STRETCH, parameters, point, before=0)

    async def _stretches(
        self, statement: sql.Composed, parameters: dict[str, Any], point: LogPoint, *, before: str | int
    ) -> AsyncIterator[bytes]:
        after, limit = before, self._first_stretch
        while True:
            began = time.monotonic()
            rows = await fetch(self._source, statement, {**parameters, "after": after, "limit": limit})
            ((log_id, generation, has_more, after, records),) = rows
            if (log_id, generation) != (point.log_id, point.generation) or (has_more and after is None):
                raise Replaced
            if records:
                yield records
            if not has_more:
                return
            fitting = round(limit * STRETCH_SECONDS / max(time.monotonic() - began, 1e-6))
            limit = max(1, min(LONGEST_STRETCH, 2 * limit, fitting))
