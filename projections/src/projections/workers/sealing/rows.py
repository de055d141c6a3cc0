"""Reads complete rows of the log, as seals cover them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import args_row

from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.stream_tree import StreamHead, StreamTree
from projections.event_log import read_log_id
from projections.workers.sealing.agreement import SealsDoNotFit

_STRETCH: Final = 100
"""Rows decoded at once, which blocks the event loop."""
_STRETCH_BYTES: Final = 4_000_000
"""A single event may be as large as the largest request body."""
_FETCHED: Final = 100
HASHED_AT_ONCE: Final = 20
"""Events hashed without a pause, in about 1 ms: the projections run in the same event loop."""

# Tampering may have dropped the constraints, so a row may lack a position, or have a time that Python cannot
# represent; such a time was never sealed.
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
"""  # noqa: S608 - constants of this module
_OF_STREAM: Final = f"{_SELECT} WHERE originator_id = %s AND notification_id <= %s ORDER BY 3"

_HEADS: Final = """
SELECT originator_id, max(originator_version), max(notification_id) FROM log.events
WHERE notification_id > %s AND notification_id <= %s GROUP BY originator_id
"""
_HEADS_AT_ONCE: Final = 10_000


async def all_rows(connection: AsyncConnection) -> AsyncGenerator[Sequence[LogRow], None]:
    """Yield all rows of the log from one snapshot, a hundred at a time."""
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
    """Yield the rows after a position up to another one, in chunks of limited size."""
    while after < up_to:
        async with connection.cursor(row_factory=args_row(LogRow), binary=True) as cursor:
            parameters = {"after": after, "up_to": up_to, "stretch": _STRETCH, "bytes": _STRETCH_BYTES}
            await cursor.execute(_AFTER, parameters)
            rows = await cursor.fetchall()
        if not rows:
            return
        yield rows
        after = rows[-1].position


async def hashes_between(connection: AsyncConnection, *, after: int, up_to: int) -> AsyncIterator[bytes]:
    """Yield the hashes of the events after a position, up to the first missing event."""
    async for rows in rows_between(connection, after=after, up_to=up_to):
        for number, row in enumerate(rows, start=1):
            after += 1
            if row.position != after:
                return
            try:
                yield row.hash()
            except (TypeError, ValueError, AttributeError):
                raise SealsDoNotFit(f"the row at position {after} is no event") from None
            if number % HASHED_AT_ONCE == 0:
                await asyncio.sleep(0)


async def rows_of_stream(connection: AsyncConnection, stream: str, *, up_to: int) -> list[LogRow]:
    """Return a stream's rows up to a position of the log."""
    async with connection.cursor(row_factory=args_row(LogRow), binary=True) as cursor:
        await cursor.execute(_OF_STREAM, (stream, up_to))
        return await cursor.fetchall()


async def add_heads(connection: AsyncConnection, streams: StreamTree, *, after: int, up_to: int) -> None:
    """Add the last events of streams between two positions to a tree, and compute its root."""
    async with (
        connection.transaction(),
        connection.cursor("heads", row_factory=args_row(StreamHead)) as cursor,
    ):
        await cursor.execute(_HEADS, (after, up_to), binary=True)
        while heads := await cursor.fetchmany(_HEADS_AT_ONCE):
            await asyncio.to_thread(streams.update, heads)
    await asyncio.to_thread(lambda: streams.root)


async def last_events(connection: AsyncConnection, *, up_to: int) -> list[StreamHead]:
    """Return the last events of all streams up to a position."""
    async with connection.cursor(row_factory=args_row(StreamHead)) as cursor:
        await cursor.execute(_HEADS, (0, up_to), binary=True)
        return await cursor.fetchall()


async def former_origins(connection: AsyncConnection) -> dict[str, int]:
    """Return the log's former origins, each with the last position that it shares with this log."""
    cursor = await connection.execute("SELECT log_id, last_position FROM log.former_identities")
    return {f"fleetlog/{log_id}": int(last) for log_id, last in await cursor.fetchall()}


async def origin_of(connection: AsyncConnection) -> str:
    """Return the origin that the log's checkpoints name; raise ProjectionStopped if the log has no id."""
    return f"fleetlog/{await read_log_id(connection)}"
