"""Status of the projections, from the database."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import class_row

from read_model.lock_keys import HELD, NAMESPACE, lead_key, rebuild_key
from read_model.tables import EntityTable, ReadTable, next_table


@dataclass(frozen=True)
class Status:
    """Status of one projection."""

    projection: str
    position: int
    head: int
    lag_events: int
    worker: bool
    """Whether a process leads this projection."""
    quarantined: int
    """The number of quarantined streams."""
    rebuild_position: int | None
    """The position of a running rebuild; None if none is running."""
    searchable: bool
    """Whether the search terms are complete."""


_SELECT: Final = f"""
WITH held AS MATERIALIZED (SELECT key FROM ({HELD}) AS locks WHERE namespace = %(namespace)s)
SELECT
  known.projection,
  kept.position,
  head.position AS head,
  greatest(head.position - kept.position, 0) AS lag_events,
  known.lead_key IN (SELECT key FROM held) AS worker,
  (SELECT count(*) FROM read.quarantined_streams WHERE projection = known.projection) AS quarantined,
  CASE WHEN known.rebuild_key IN (SELECT key FROM held) THEN
    coalesce((SELECT position FROM read.positions WHERE projection = known.next_projection), 0)
  END AS rebuild_position,
  known.searched_version IS NULL OR kept.position = 0 OR EXISTS (
    SELECT FROM read.searches WHERE projection = known.projection AND version >= known.searched_version
  ) AS searchable
FROM unnest(
  %(names)s::text[], %(next_names)s::text[], %(lead_keys)s::bigint[], %(rebuild_keys)s::bigint[],
  %(searched_versions)s::integer[]
) WITH ORDINALITY AS known (projection, next_projection, lead_key, rebuild_key, searched_version, number)
CROSS JOIN log.head
CROSS JOIN LATERAL (
  SELECT coalesce((SELECT position FROM read.positions WHERE projection = known.projection), 0) AS position
) AS kept
ORDER BY known.number
"""  # noqa: S608 - constants of this project


async def read_statuses(connection: AsyncConnection, tables: Iterable[ReadTable]) -> list[Status]:
    """Return the status of each projection, in the order of `tables`."""
    tables = list(tables)
    parameters = {
        "namespace": NAMESPACE,
        "names": [table.name for table in tables],
        "next_names": [next_table(table).name for table in tables],
        "lead_keys": [lead_key(table) for table in tables],
        "rebuild_keys": [rebuild_key(table) for table in tables],
        "searched_versions": [table.version if isinstance(table, EntityTable) else None for table in tables],
    }
    async with connection.cursor(row_factory=class_row(Status)) as cursor:
        await cursor.execute(_SELECT, parameters)
        return await cursor.fetchall()
