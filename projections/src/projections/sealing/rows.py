"""Reading the log's rows whole, as seals cover them."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import args_row

from ops.base.tamper_evidence.leaves import LogRow

_STRETCH: Final = 5_000
_SELECT: Final = """
SELECT notification_id, originator_id, originator_version, topic, state, moment, command_id FROM log.events
"""
_AFTER: Final = f"{_SELECT} WHERE notification_id > %s AND notification_id <= %s ORDER BY 1 LIMIT %s"
_OF_STREAM: Final = f"{_SELECT} WHERE originator_id = %s AND notification_id <= %s ORDER BY 3"


async def rows_between(
    connection: AsyncConnection, *, after: int, up_to: int
) -> AsyncIterator[Sequence[LogRow]]:
    """Give the rows after a position up to another one, a few thousand at a time."""
    while after < up_to:
        async with connection.cursor(row_factory=args_row(LogRow), binary=True) as cursor:
            await cursor.execute(_AFTER, (after, up_to, _STRETCH))
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


async def origin_of(connection: AsyncConnection) -> str:
    """Return the name under which the log is sealed."""
    cursor = await connection.execute("SELECT log_id FROM log.identity")
    ((log_id,),) = await cursor.fetchall()
    return f"fleetlog/{log_id}"
