"""Reads what is known of how the system is doing."""

from collections.abc import Callable
from typing import Final, TypeVar

from psycopg.rows import args_row, dict_row

from ops.base.database.connection import BoundedConnection
from ops.base.process.sampling import BUCKETS, STEP_SECONDS
from ops.base.records.operations import ACTION_COLUMNS, action_of
from projections.progress.status import read_statuses
from projections.tables import READ_TABLES
from query_api.masking.withheld import kind, tells_of_it
from query_api.reading.source import Source
from query_api.system.facts import Aside, BackedUp, Facts, Named, Reported, Sample, Size, Verified

STEPS: Final = 24 * 3600 // STEP_SECONDS
NAMED_SET_ASIDE: Final = 100
NAMED_ACTIONS: Final = 20

_NOW: Final = f"""
SELECT
  clock_timestamp() AS at,
  head.position AS position,
  head.stopped AS stopped,
  (SELECT revision FROM log.schema_revisions ORDER BY revision DESC LIMIT 1) AS schema_revision,
  (SELECT min(applied) FROM log.schema_revisions) AS made_at,
  pg_database_size(current_database()) AS database_bytes,
  (
    SELECT min(moment)
    FROM read.revisions AS erasing LEFT JOIN privacy.erasures USING (entity, entity_id, version)
    WHERE {tells_of_it("erasing")} AND {kind("erasing")} = 'erased' AND receipt IS NULL
  ) AS erasing_since
FROM log.head
"""  # noqa: S608 - put together from our own constants
_SIZES: Final = "SELECT step, database_bytes, log_bytes, read_bytes FROM operations.sizes ORDER BY step"
_SERVICES: Final = """
SELECT name, instance, release, started_at, seen_at, health, reason, state
FROM operations.services ORDER BY name, instance
"""
_SET_ASIDE: Final = """
SELECT projection, originator_id, position, since, error
FROM read.quarantined_streams ORDER BY since DESC, position DESC, originator_id LIMIT %s
"""
_SET_ASIDE_SINCE: Final = """
SELECT projection, min(since) FROM read.quarantined_streams GROUP BY projection
"""
_SAMPLES: Final = f"""
SELECT extract(epoch FROM step)::bigint, sum(commands)::bigint, sum(reads)::bigint, sum(refusals)::bigint,
  sum(errors)::bigint, ARRAY[{", ".join(f"sum(buckets[{n}])::bigint" for n in range(1, BUCKETS + 1))}]
FROM operations.samples
WHERE step > to_timestamp(%s) AND cardinality(buckets) = {BUCKETS}
GROUP BY step
"""  # noqa: S608 - as above
_VERIFICATION: Final = """
SELECT finished_at, ok, words FROM operations.verifications ORDER BY number DESC LIMIT 1
"""
_BACKUP: Final = """
SELECT finished_at, bytes, place FROM operations.backups ORDER BY finished_at DESC LIMIT 1
"""
_ACTIONS: Final = f"""
SELECT {ACTION_COLUMNS} FROM operations.actions ORDER BY asked_at DESC, id LIMIT %s
"""  # noqa: S608 - as above


class StoredOperations:
    """Reads it from the database."""

    def __init__(self, source: Source) -> None:
        self._source = source

    async def facts(self) -> Facts:
        """See `Operations`."""
        return await self._source.read(_facts)

    async def named(self) -> Named:
        """See `Operations`."""
        return await self._source.read(_named)


T = TypeVar("T")


async def _rows(
    connection: BoundedConnection, row: Callable[..., T], statement: str, *parameters: object
) -> list[T]:
    async with connection.cursor(row_factory=args_row(row)) as cursor:
        await cursor.execute(statement, parameters)
        return await cursor.fetchall()


async def _facts(connection: BoundedConnection) -> Facts:
    async with connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_NOW)
        (now,) = await cursor.fetchall()
    first = (int(now["at"].timestamp()) // STEP_SECONDS - STEPS) * STEP_SECONDS
    samples = await _rows(connection, Sample, _SAMPLES, first)
    cursor_since = await connection.execute(_SET_ASIDE_SINCE)
    return Facts(
        **now,
        statuses=await read_statuses(connection, READ_TABLES),
        reported=await _rows(connection, Reported, _SERVICES),
        set_aside_since=dict(await cursor_since.fetchall()),
        sizes=await _rows(connection, Size, _SIZES),
        samples={sample.step: sample for sample in samples},
        verified=next(iter(await _rows(connection, Verified, _VERIFICATION)), None),
        backed_up=next(iter(await _rows(connection, BackedUp, _BACKUP)), None),
    )


async def _named(connection: BoundedConnection) -> Named:
    return Named(
        set_aside=await _rows(connection, Aside, _SET_ASIDE, NAMED_SET_ASIDE),
        actions=await _rows(connection, action_of, _ACTIONS, NAMED_ACTIONS),
    )
