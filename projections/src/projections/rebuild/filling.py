"""Filling the next table: one connection reads the log, in large stretches, while the other one writes."""

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from psycopg import AsyncConnection
from psycopg.rows import args_row

from command_api.event_store.records import RecordedEvent
from ops.base.encryption.ring import KEYS
from ops.base.process.failpoints import failpoint
from projections.applying.projection import Projection
from projections.failures import LogGap, WithoutKeys
from projections.progress import positions
from projections.reading.log import BATCH_EVENTS

Report = Callable[[int], None]
"""Told the position that has been reached."""

STRETCH_EVENTS: Final = 10_000
STRETCH_BYTES: Final = 8_000_000

# The stretch ends before a missing position, and before its payloads become too many.
_MEASURE: Final = """
SELECT max(position)
FROM (
  SELECT
    notification_id AS position,
    row_number() OVER log AS number,
    coalesce(sum(octet_length(state)) FILTER (WHERE starts_with(originator_id, %(prefix)s)) OVER before, 0)
      AS bytes_before
  FROM log.events
  WHERE notification_id > %(after)s AND notification_id <= %(after)s::bigint + %(events)s
  WINDOW
    log AS (ORDER BY notification_id),
    before AS (ORDER BY notification_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
) AS measured
WHERE position = %(after)s + number AND bytes_before < %(bytes)s
"""

_SELECT: Final = """
SELECT originator_id, originator_version, topic, state, notification_id, moment
FROM log.events
WHERE notification_id > %(after)s AND notification_id <= %(last)s AND starts_with(originator_id, %(prefix)s)
ORDER BY notification_id
"""

_MISSING: Final = """
SELECT position > %(after)s
  AND NOT EXISTS (SELECT FROM log.events WHERE notification_id = %(after)s::bigint + 1)
FROM log.head
"""


class Stretch(NamedTuple):
    """Some of the log, in its order and without a gap."""

    events: list[RecordedEvent]
    """Those that were asked for."""
    last: int
    """The position up to which there are no others."""


async def read_stretch(
    connection: AsyncConnection,
    *,
    after: int,
    prefix: str,
    max_events: int = STRETCH_EVENTS,
    max_bytes: int = STRETCH_BYTES,
) -> Stretch:
    """Read the events of some streams after a position.

    Args:
        connection: in autocommit mode.
        after: the last position already handled.
        prefix: how the streams' names begin; of others it is only seen that none is missing.
        max_events: the most events to look at.
        max_bytes: once the payloads exceed this, no further event is read.

    Raises:
        LogGap: the very next position is missing although later ones exist.
        WithoutKeys: they are sealed, and no key store is configured.
    """
    parameters = {"after": after, "prefix": prefix, "events": max_events, "bytes": max_bytes}
    cursor = await connection.execute(_MEASURE, parameters)
    ((last,),) = await cursor.fetchall()
    if last is None:
        ((missing,),) = await (await connection.execute(_MISSING, parameters)).fetchall()
        if missing:
            raise LogGap(after + 1)
        return Stretch([], after)
    async with connection.cursor(row_factory=args_row(RecordedEvent), binary=True) as events:
        await events.execute(_SELECT, {"after": after, "last": last, "prefix": prefix})
        found = await KEYS.give(await events.fetchall())
    if not KEYS.seals and any(event.key_id for event in found):
        raise WithoutKeys
    return Stretch(list(found), last)


async def fill(
    reader: AsyncConnection, writer: AsyncConnection, projection: Projection, report: Report
) -> None:
    """Fill a projection's empty table from the beginning of the log until little is left to do.

    Args:
        reader: in autocommit mode.
        writer: another one, in autocommit mode.
        projection: whose table is empty, with a position of 0.
        report: notified of the progress.
    """
    filling = projection.filling(writer)
    position, last_stretch = 0, False
    upcoming = asyncio.create_task(read_stretch(reader, after=0, prefix=filling.prefix))
    try:
        while not last_stretch:
            events, last = await upcoming
            last_stretch = last - position < BATCH_EVENTS
            position = last
            if not last_stretch:  # the server finds the next stretch while this one is folded
                upcoming = asyncio.create_task(read_stretch(reader, after=last, prefix=filling.prefix))
            await filling.take(events)
            await positions.set_filled(writer, projection.table, position, changed=0)
            report(position)
            failpoint("rebuild.batch_written")
    finally:
        upcoming.cancel()
        await asyncio.gather(upcoming, return_exceptions=True)
    await positions.set_filled(writer, projection.table, position, changed=await filling.finish())
