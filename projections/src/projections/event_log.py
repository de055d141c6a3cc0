"""Reads the event log in batches, in order and without gaps."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Final, LiteralString, Never, Protocol, TypeVar

from psycopg import AsyncConnection, sql

from command_api.event_store.records import RecordedEvent
from ops.base.encryption.key_cache import KEYS
from projections.failures import LogGap, LogStopped, ProjectionStopped

BATCH_EVENTS: Final = 500
BATCH_BYTES: Final = 4_000_000
"""A single event may be as large as the largest request body, so a count alone would not bound a batch."""

# Limits are literals because a generic plan ignores parameter values. octet_length() reads the size from a
# large value's TOAST pointer without fetching the value. Other streams' events have no payload here.
_SELECT: Final = """
SELECT originator_id, version, topic, state, position, moment
FROM (
  SELECT *, sum(octet_length(state)) OVER (ORDER BY position) - octet_length(state) AS bytes_before
  FROM (
    SELECT notification_id AS position, originator_id, originator_version AS version, topic, moment,
      CASE WHEN starts_with(originator_id, {prefix}) THEN state ELSE '' END AS state
    FROM log.events
    WHERE {condition}
    LIMIT {events}
  ) AS next_events
) AS measured
WHERE bytes_before < {bytes}
ORDER BY position
"""
_AFTER: Final = "notification_id > %b::bigint ORDER BY notification_id"
_OF_STREAM: Final = (
    "originator_id = %b::text AND notification_id BETWEEN %b::bigint AND %b::bigint"
    " ORDER BY originator_version"
)


@dataclass(frozen=True)
class EventBatch:
    """The events between two positions, in order and without a gap."""

    events: Sequence[RecordedEvent]
    """Only events of the requested streams."""
    after: int
    """The position before the batch."""
    to: int
    """The batch's last position; equal to `after` if no event follows."""
    moment: datetime | None
    """The time of the event at `to`."""

    def __bool__(self) -> bool:
        return self.to > self.after

    def up_to(self, position: int) -> "EventBatch":
        """Return the part that ends at a position, of a batch of all streams."""
        if position >= self.to:
            return self
        events = self.events[: position - self.after]
        return EventBatch(events, self.after, events[-1].position, events[-1].moment)

    def following(self, position: int, events: int) -> "EventBatch":
        """Return the rest after a position, which is that of the given number of events."""
        return replace(self, events=self.events[events:], after=position)


class LogSession(Protocol):
    """A database session that executes statements in sequence; `PreparedSession` is one."""

    async def fetch(self, statement: bytes, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement with `%b` placeholders, and return its rows."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """Open a transaction: commit when the context ends, roll back when it raises."""
        ...


class ConnectionSession(LogSession):
    """A session over a psycopg connection, which may be in a transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def fetch(self, statement: bytes, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement in binary format."""
        cursor = await self._connection.execute(statement, parameters, binary=True)
        return await cursor.fetchall() if cursor.description else []

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """Open a transaction, or a savepoint inside one."""
        return self._connection.transaction()


async def read_batch(
    session: LogSession,
    *,
    after: int,
    prefix: str = "",
    max_events: int = BATCH_EVENTS,
    max_bytes: int = BATCH_BYTES,
) -> EventBatch:
    """Read the events that follow a position, in position order and without a gap.

    Positions are dense and become visible in order, because appends are serialised. The batch nevertheless
    ends before a missing position, so that correctness does not depend on the writer.

    Args:
        after: the last position that was handled.
        prefix: prefix of the names of the requested streams.
        max_bytes: no further event is added once the payloads exceed this size.

    Raises:
        LogGap: the next position is missing although later ones exist.
    """
    rows = await session.fetch(_select(_AFTER, prefix, max_events, max_bytes), [after])
    events = without_gap([RecordedEvent(*row) for row in rows], after=after)
    if not events:
        return EventBatch((), after, after, None)
    wanted = [event for event in events if event.originator_id.startswith(prefix)]
    return EventBatch(await KEYS.unlock(wanted), after, events[-1].position, events[-1].moment)


async def read_stream(
    connection: AsyncConnection, stream: str, *, first: int, last: int
) -> AsyncIterator[Sequence[RecordedEvent]]:
    """Yield a stream's events in a range of positions, in position order, a batch at a time."""
    session = ConnectionSession(connection)
    while rows := await session.fetch(_select(_OF_STREAM), [stream, first, last]):
        events = await KEYS.unlock([RecordedEvent(*row) for row in rows])
        yield events
        first = events[-1].position + 1


@cache
def _select(
    condition: LiteralString, prefix: str = "", max_events: int = BATCH_EVENTS, max_bytes: int = BATCH_BYTES
) -> bytes:
    limits = {"prefix": prefix, "events": max_events, "bytes": max_bytes}
    literals = {name: sql.Literal(value) for name, value in limits.items()}
    return sql.SQL(_SELECT).format(condition=sql.SQL(condition), **literals).as_bytes(None)


class _Positioned(Protocol):
    @property
    def position(self) -> int: ...


_Row = TypeVar("_Row", bound=_Positioned)


def without_gap(rows: Sequence[_Row], *, after: int) -> Sequence[_Row]:
    """Return the rows, which are in position order, up to the first missing position after `after`.

    Raises:
        LogGap: the next position is missing although later ones exist.
    """
    batch = [row for expected, row in enumerate(rows, start=after + 1) if row.position == expected]
    if rows and not batch:
        raise LogGap(after + 1)
    return batch


async def read_head(connection: AsyncConnection) -> int:
    """Return the log's last position; 0 while the log is empty."""
    cursor = await connection.execute("SELECT position FROM log.head")
    ((head,),) = await cursor.fetchall()
    return int(head)


async def read_log_id(connection: AsyncConnection) -> str:
    """Return the log's id.

    Raises:
        ProjectionStopped: the id was deleted.
    """
    cursor = await connection.execute("SELECT log_id FROM log.identity")
    rows = await cursor.fetchall()
    if len(rows) != 1:
        raise ProjectionStopped("the log has lost its id")
    return str(rows[0][0])


async def require_going(connection: AsyncConnection) -> None:
    """Raise LogStopped if the log is stopped; only an operator can release it."""
    cursor = await connection.execute("SELECT stopped FROM log.head WHERE stopped IS NOT NULL")
    if row := await cursor.fetchone():
        raise LogStopped(row[0])


async def stop(connection: AsyncConnection, reason: str) -> Never:
    """Stop appends, reads and publication of the log until an operator decides; raise LogStopped.

    Args:
        connection: in autocommit mode.
        reason: the fault, which is shown to operators.
    """
    await connection.execute("SELECT log.stop(%s)", (reason,))
    raise LogStopped(reason)
