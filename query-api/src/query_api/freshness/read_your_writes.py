"""Read your writes: a query waits, for a limited time, until its client's last write can be read."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from ops.base.http.consistency import LogPosition, received_positions
from query_api import metrics
from query_api.database.source import KeyedRows, Source
from query_api.freshness.notifications import Notifications
from read_model.tables import ReadTable

PATIENCE_SECONDS: Final = 2.0
MISSING_SECONDS: Final = 10.0
"""Longest wait for a missing record: a 404 would be wrong for the client that has just created the record."""
POLL_SECONDS: Final = 0.1
"""Interval at which a waiting query polls, in case a notification is lost."""


_PROGRESS: Final = b"""
SELECT wanted.projection, head.log_id, head.position, coalesce(kept.position, 0), coalesce(kept.version, 0)
FROM unnest(%s::text[]) AS wanted (projection)
  CROSS JOIN log.head
  LEFT JOIN read.positions AS kept USING (projection)
"""


@dataclass(frozen=True)
class ProjectionProgress:
    """A projection's position, and the log's head."""

    log_id: str
    head: int
    position: int
    version: int = 0
    """See `ReadTable.version`."""


class Projections:
    """Reads the progress of projections."""

    def __init__(self, source: Source) -> None:
        self._progress = KeyedRows(source, _PROGRESS)

    async def progress(self, projection: str) -> ProjectionProgress:
        """Return a projection's progress; its position is 0 before it has begun."""
        return ProjectionProgress(*await self._progress.get(projection))


class Freshness:
    """Waits until a projection has reached a client's last write."""

    def __init__(
        self,
        read_progress: Callable[[str], Awaitable[ProjectionProgress]],
        notifications: Notifications,
        *,
        patience_seconds: float = PATIENCE_SECONDS,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._read_progress = read_progress
        self._notifications = notifications
        self._patience_seconds = patience_seconds
        self._poll_seconds = poll_seconds

    async def wait(
        self, projection: str, written: Collection[LogPosition], *, patience_seconds: float | None = None
    ) -> bool:
        """Wait until a projection has reached positions.

        Args:
            written: the positions; those of another log, or after the head, are ignored.

        Returns:
            Whether reads from now on include all events up to the positions.
        """
        clock = asyncio.get_running_loop().time
        began = clock()
        patience = self._patience_seconds if patience_seconds is None else patience_seconds
        deadline, poll_at = began + patience, began + self._poll_seconds
        is_reached = False
        while True:
            reached = self._notifications.reached(projection)
            if reached is None or any(each.log_id != reached.log_id for each in written):
                # Unknown, or the client's position is of another log, which may have replaced this one.
                poll_at = clock()
            elif all(each.position <= reached.position for each in written):
                is_reached = True
                break
            # Taken before the poll, so that a commit just after the poll is not missed.
            wakeup = self._notifications.next_commit(projection)
            if clock() >= min(poll_at, deadline):
                is_reached = await self._is_reached(projection, written)
                if is_reached or clock() >= deadline:
                    break
                poll_at = clock() + self._poll_seconds
            with suppress(TimeoutError):
                async with asyncio.timeout_at(min(poll_at, deadline)):
                    await wakeup.wait()
        metrics.FRESHNESS_SECONDS.observe(clock() - began)
        metrics.STALE.inc(not is_reached)
        return is_reached

    async def _is_reached(self, projection: str, written: Collection[LogPosition]) -> bool:
        progress = await self._read_progress(projection)
        self._notifications.observe(projection, LogPosition(progress.log_id, progress.position))
        wanted = max((each.position for each in written if each.log_id == progress.log_id), default=0)
        return not progress.position < wanted <= progress.head


async def is_fresh(request: Request, table: ReadTable, *, patience_seconds: float | None = None) -> bool:
    """Wait for the client's last write, if the request names it; return whether it can be read now."""
    written = received_positions(request)
    if not written:
        return True
    freshness: Freshness = request.app.state.freshness
    return await freshness.wait(table.name, written, patience_seconds=patience_seconds)
