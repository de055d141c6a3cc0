"""Reading the log in large stretches, without the payloads that are not needed."""

from typing import Final, NamedTuple

from psycopg import AsyncConnection
from psycopg.rows import args_row

from command_api.event_store.records import RecordedEvent
from projections.failures import LogGap

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
        return Stretch(await events.fetchall(), last)
