"""Reading the log's rows whole, as seals cover them."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import args_row

from ops.tamper_evidence.leaves import LogRow
from projections.reading.log import read_log_id

_STRETCH: Final = 100
"""Each is taken apart at once, while nothing else in the event loop has its turn."""
_STRETCH_BYTES: Final = 4_000_000
"""An event may be as large as the largest body, so few of that size are held at once."""
_FETCHED: Final = 100

# A moment that Python has no value for was never sealed. Whoever tampers may have dropped the constraints
# first, so rows without a position come up as well. Nothing else is left out or changed.
_SELECT: Final = """
SELECT coalesce(notification_id, 0), originator_id, originator_version, topic, state,
  CASE WHEN moment BETWEEN '0002-01-01' AND '9998-12-31' THEN moment END, command_id
FROM log.events
"""
_ALL: Final = f"{_SELECT} ORDER BY notification_id"
_AFTER: Final = f"""
{_SELECT} WHERE notification_id > %(after)s AND notification_id <= (
  SELECT max(notification_id)
  FROM (
    SELECT notification_id, coalesce(sum(octet_length(state)) OVER (
      ORDER BY notification_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) AS bytes_before
    FROM (
      SELECT notification_id, state FROM log.events
      WHERE notification_id > %(after)s AND notification_id <= %(up_to)s
      ORDER BY notification_id
      LIMIT %(stretch)s
    ) AS next_events
  ) AS measured
  WHERE bytes_before < %(bytes)s
)
ORDER BY notification_id
"""  # noqa: S608 - put together from our own constants
_OF_STREAM: Final = f"{_SELECT} WHERE originator_id = %s AND notification_id <= %s ORDER BY 3"


async def all_rows(connection: AsyncConnection) -> AsyncGenerator[Sequence[LogRow], None]:
    """Give every row of the log as it is now, in one reading, a hundred at a time."""
    async with (
        connection.transaction(),
        connection.cursor("whole_log", row_factory=args_row(LogRow)) as cursor,
    ):
        await cursor.execute(_ALL, binary=True)
        while rows := await cursor.fetchmany(_FETCHED):
            yield rows


async def rows_between(
    connection: AsyncConnection, *, after: int, up_to: int
) -> AsyncIterator[Sequence[LogRow]]:
    """Give the rows after a position up to another one, hundreds at a time, or fewer large ones."""
    while after < up_to:
        async with connection.cursor(row_factory=args_row(LogRow), binary=True) as cursor:
            parameters = {"after": after, "up_to": up_to, "stretch": _STRETCH, "bytes": _STRETCH_BYTES}
            await cursor.execute(_AFTER, parameters)
            rows = await cursor.fetchall()
        if not rows:
            return
        yield rows
        after = rows[-1].position


async def rows_of_stream(connection: AsyncConnection, stream: str, *, up_to: int) -> list[LogRow]:
    """Return a stream's rows up to a position of the log."""
    async with connection.cursor(row_factory=args_row(LogRow), binary=True) as cursor:
        await cursor.execute(_OF_STREAM, (stream, up_to))
        return await cursor.fetchall()


async def former_origins(connection: AsyncConnection) -> dict[str, int]:
    """Return the names that the log was sealed under before, and how far it shares each one's events."""
    cursor = await connection.execute("SELECT log_id, last_position FROM log.former_identities")
    return {f"fleetlog/{log_id}": int(last) for log_id, last in await cursor.fetchall()}


async def origin_of(connection: AsyncConnection) -> str:
    """Return the name under which the log is sealed.

    Raises:
        ProjectionStopped: it has lost its id.
    """
    return f"fleetlog/{await read_log_id(connection)}"
