"""Reading the event store, in batches, without ever skipping an event."""

import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Final, Never, Protocol, TypeVar

from psycopg import AsyncConnection
from psycopg.rows import args_row

from command_api.event_store.records import RecordedEvent
from ops.base.database.prepared import PreparedSession
from ops.base.encryption.ring import KEYS
from projections.failures import LogGap, LogStopped, ProjectionStopped

_POSITION: Final = re.compile(r"[0-9]{1,18}")

BATCH_EVENTS: Final = 500
BATCH_BYTES: Final = 4_000_000
"""An event may be as large as the largest body, so counting events alone would not bound a batch."""


# octet_length() reads the size from a large value's pointer: nothing is fetched only to be counted.
_SELECT: Final = """
SELECT originator_id, version, topic, state, position, moment
FROM (
  SELECT *, sum(octet_length(state)) OVER (ORDER BY position) - octet_length(state) AS bytes_before
  FROM (
    SELECT notification_id AS position, originator_id, originator_version AS version, topic, state, moment
    FROM log.events
    WHERE {}
    LIMIT %(events)s
  ) AS next_events
) AS measured
WHERE bytes_before < %(bytes)s
ORDER BY position
"""
_AFTER: Final = _SELECT.format("notification_id > %(after)s ORDER BY notification_id")
_NEXT: Final = (_AFTER % {"after": "%b::bigint", "events": BATCH_EVENTS, "bytes": BATCH_BYTES}).encode()
_OF_STREAM: Final = _SELECT.format(
    "originator_id = %(stream)s AND notification_id BETWEEN %(first)s AND %(last)s"
    " ORDER BY originator_version"
)


async def read_stream(
    connection: AsyncConnection, stream: str, *, first: int, last: int
) -> AsyncIterator[Sequence[RecordedEvent]]:
    """Give a stream's events in a range of positions, in position order, a batch at a time."""
    parameters = {"stream": stream, "last": last, "events": BATCH_EVENTS, "bytes": BATCH_BYTES}
    while True:
        events = await _fetch(connection, _OF_STREAM, {**parameters, "first": first})
        if not events:
            return
        yield events
        first = events[-1].position + 1


async def read_batch(
    connection: AsyncConnection,
    *,
    after: int,
    max_events: int = BATCH_EVENTS,
    max_bytes: int = BATCH_BYTES,
) -> Sequence[RecordedEvent]:
    """Read the events that follow a position, in position order and without a gap.

    Positions are dense and become visible in order, because appends are serialised. This does not take the
    writer's word for it: it stops where a position is missing.

    Args:
        connection: any connection that may read the log.
        after: the last position already handled.
        max_events: the most events to return.
        max_bytes: once the events' payloads exceed this, no further event is added.

    Raises:
        LogGap: the very next position is missing although later ones exist.
    """
    rows = await _fetch(connection, _AFTER, {"after": after, "events": max_events, "bytes": max_bytes})
    return without_gap(rows, after=after)


async def read_next(session: PreparedSession, *, after: int) -> Sequence[RecordedEvent]:
    """Read a batch of the events that follow a position, as `read_batch` does."""
    rows = await session.fetch(_NEXT, [after])
    return await KEYS.give(without_gap([RecordedEvent(*row) for row in rows], after=after))


async def _fetch(
    connection: AsyncConnection, statement: str, parameters: Mapping[str, Any]
) -> list[RecordedEvent]:
    async with connection.cursor(row_factory=args_row(RecordedEvent), binary=True) as cursor:
        await cursor.execute(statement, parameters)
        return list(await KEYS.give(await cursor.fetchall()))


class _Positioned(Protocol):
    @property
    def position(self) -> int: ...


_Row = TypeVar("_Row", bound=_Positioned)


def without_gap(rows: Sequence[_Row], *, after: int) -> Sequence[_Row]:
    """Return the rows up to the first position that is missing.

    Args:
        rows: in position order.
        after: the position that the first one is to follow.

    Raises:
        LogGap: the very next position is missing although later ones exist.
    """
    batch = [row for expected, row in enumerate(rows, start=after + 1) if row.position == expected]
    if rows and not batch:
        raise LogGap(after + 1)
    return batch


async def read_head(connection: AsyncConnection) -> int:
    """Return the log's last position; 0 while it is empty."""
    cursor = await connection.execute("SELECT position FROM log.head")
    ((head,),) = await cursor.fetchall()
    return int(head)


async def read_log_id(connection: AsyncConnection) -> str:
    """Return which log this is.

    Raises:
        ProjectionStopped: it has lost its id.
    """
    cursor = await connection.execute("SELECT log_id FROM log.identity")
    rows = await cursor.fetchall()
    if len(rows) != 1:
        raise ProjectionStopped("the log has lost its id")
    return str(rows[0][0])


async def require_going(connection: AsyncConnection) -> None:
    """See that nobody has stopped the log.

    Raises:
        LogStopped: somebody has; only an operator can let it go on.
    """
    cursor = await connection.execute("SELECT stopped FROM log.head WHERE stopped IS NOT NULL")
    if row := await cursor.fetchone():
        raise LogStopped(row[0])


async def stop(connection: AsyncConnection, reason: str) -> Never:
    """Let nobody append to the log, serve or publish it, until an operator decides.

    Args:
        connection: in autocommit mode.
        reason: what is wrong; it is shown.

    Raises:
        LogStopped: always.
    """
    await connection.execute("SELECT log.stop(%s)", (reason,))
    raise LogStopped(reason)


def told_head(payloads: Iterable[str]) -> int | None:
    """Return the last position that notifications of appends tell of; None: of none."""
    # Anybody who may connect can notify: what cannot be a position is none.
    return max((int(payload) for payload in payloads if _POSITION.fullmatch(payload)), default=None)
