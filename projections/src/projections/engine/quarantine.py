"""The quarantine: streams with an event that a projection cannot apply; all other streams continue."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg.rows import class_row

from command_api.domain.state import InapplicableEvent
from command_api.event_store.mapper import UnreadableEvent
from command_api.event_store.records import RecordedEvent
from projections.event_log import LogSession
from read_model.tables import ReadTable

logger = structlog.get_logger()

_LOGGED: Final = 10
"""Streams named in the log at once: a release that cannot read one type of event quarantines all streams."""
_TEXT_LENGTH: Final = 200

_QUARANTINE: Final = b"""
INSERT INTO read.quarantined_streams (projection, originator_id, position, error)
SELECT %b::text, originator_id, position, error
FROM unnest(%b::text[], %b::bigint[], %b::text[]) AS failure (originator_id, position, error)
ON CONFLICT (projection, originator_id) DO UPDATE SET
  position = excluded.position,
  error = excluded.error
"""

_SELECT: Final = """
SELECT originator_id, position, error, since FROM read.quarantined_streams
WHERE projection = %s AND originator_id = coalesce(%s, originator_id)
ORDER BY position, originator_id LIMIT %s
"""


@dataclass(frozen=True)
class EventFailure:
    """The reason why an event of a stream cannot be applied."""

    position: int
    """The position of the first event that was not applied."""
    error: str
    """Types and places, never the content of an event: it may be logged and shown."""

    @classmethod
    def from_exception(cls, event: RecordedEvent, cause: Exception) -> "EventFailure":
        """Describe the failure to apply an event, equally for all records with the same cause."""
        match cause:
            case UnreadableEvent():
                reason = cause.why
            case InapplicableEvent():
                reason = "it does not follow from the events before it"
            case psycopg.Error():
                reason = f"the database refuses it ({type(cause).__name__})"
            case _:  # the message of any other exception may quote values
                reason = type(cause).__name__
        return cls(event.position, f"{event.topic}: {reason}"[:_TEXT_LENGTH])


@dataclass(frozen=True)
class QuarantinedStream:
    """A stream that a projection has quarantined."""

    originator_id: str
    position: int
    error: str
    since: datetime

    def as_json(self) -> dict[str, Any]:
        """Return the members as JSON values."""
        return {**vars(self), "since": self.since.isoformat(timespec="seconds")}


async def quarantine(session: LogSession, table: ReadTable, failures: Mapping[str, EventFailure]) -> None:
    """Quarantine streams from their failures on, or replace the failures of quarantined streams.

    Args:
        session: in the transaction that locks the projection's position and leaves the streams' rows as
            they were before their failures.
    """
    if not failures:
        return
    positions = [failure.position for failure in failures.values()]
    errors = [failure.error for failure in failures.values()]
    await session.fetch(_QUARANTINE, [table.name, list(failures), positions, errors])
    for stream, failure in list(failures.items())[:_LOGGED]:
        logger.error(
            "projection_stream_quarantined",
            projection=table.name,
            stream=stream,
            position=failure.position,
            error=failure.error,
        )
    if len(failures) > _LOGGED:
        logger.error("projection_streams_quarantined", projection=table.name, streams=len(failures))


async def release(connection: AsyncConnection, table: ReadTable, stream: str) -> None:
    """Release a stream from quarantine, in the transaction that applies the events it missed."""
    await connection.execute(
        "DELETE FROM read.quarantined_streams WHERE projection = %s AND originator_id = %s",
        (table.name, stream),
    )


async def read_quarantined(
    connection: AsyncConnection, table: ReadTable, *, stream: str | None = None, limit: int | None = None
) -> list[QuarantinedStream]:
    """Return a projection's quarantined streams in the order of their positions, at most `limit`.

    Args:
        stream: the only stream to return, if it is quarantined; None: any.
    """
    async with connection.cursor(row_factory=class_row(QuarantinedStream)) as cursor:
        await cursor.execute(_SELECT, (table.name, stream, limit))
        return await cursor.fetchall()
