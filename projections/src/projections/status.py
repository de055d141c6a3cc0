"""How far the projections are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import class_row

from projections.leadership import lock_key
from projections.tables import ReadTable


@dataclass(frozen=True)
class Status:
    """How far one projection is."""

    projection: str
    position: int
    head: int
    lag_events: int
    lag_seconds: float
    """Age of the oldest event not yet handled; 0 when there is none."""
    worker: bool
    """Whether some process leads this projection."""


_SELECT: Final = """
SELECT
  known.projection,
  kept.position,
  head.position AS head,
  greatest(head.position - kept.position, 0) AS lag_events,
  greatest(coalesce(extract(epoch FROM clock_timestamp() - waiting.moment), 0), 0)::float8 AS lag_seconds,
  EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND classid::bigint = known.lock_namespace AND objid::bigint = known.lock_key AND objsubid = 2
  ) AS worker
FROM unnest(%s::text[], %s::bigint[], %s::bigint[])
  WITH ORDINALITY AS known (projection, lock_namespace, lock_key, number)
CROSS JOIN log.head
CROSS JOIN LATERAL (
  SELECT coalesce((SELECT position FROM read.positions WHERE projection = known.projection), 0) AS position
) AS kept
LEFT JOIN log.events AS waiting ON waiting.notification_id = kept.position + 1
ORDER BY known.number
"""


async def read_statuses(connection: AsyncConnection, tables: Iterable[ReadTable]) -> list[Status]:
    """Return how far each projection is, in the order of `tables`."""
    known = [(table.name, *lock_key(table)) for table in tables]
    async with connection.cursor(row_factory=class_row(Status)) as cursor:
        await cursor.execute(_SELECT, [list(column) for column in zip(*known, strict=True)])
        return await cursor.fetchall()
