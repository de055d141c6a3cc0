"""Reading one's own writes: a query that knows of a write waits for it, but not for ever."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from ops.base.http.consistency import LogPosition, received_positions
from projections.tables import ReadTable
from query_api import metrics
from query_api.freshness.notified import Notified
from query_api.reading.source import KeyedRows, Source

PATIENCE_SECONDS: Final = 2.0
MISSING_SECONDS: Final = 10.0
"""For a record that is not there: that it is not would be wrong of what the client has just made."""
POLL_SECONDS: Final = 0.1
"""A waiting query looks again so often even without being notified."""


_STANDINGS: Final = b"""
SELECT asked.projection, head.log_id, head.position, coalesce(kept.position, 0), coalesce(kept.version, 0)
FROM unnest(%s::text[]) AS asked (projection)
  CROSS JOIN log.head
  LEFT JOIN read.positions AS kept USING (projection)
"""


@dataclass(frozen=True)
class ProjectionProgress:
    """How far a projection has read which log."""

    log_id: str
    head: int
    position: int
    version: int = 0
    """Of the rows that it has written; see `ReadTable.version`."""


class Projections:
    """The projections as the query API sees them."""

    def __init__(self, source: Source) -> None:
        self._standings = KeyedRows(source, _STANDINGS)

    async def progress(self, projection: str) -> ProjectionProgress:
        """Return how far a projection is; 0 before it has begun."""
        return ProjectionProgress(*await self._standings.get(projection))


class Freshness:
    """Waits until a projection has reached what a client has written."""

    def __init__(
        self,
        look: Callable[[str], Awaitable[ProjectionProgress]],
        notified: Notified,
        *,
        patience_seconds: float = PATIENCE_SECONDS,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """Prepare to wait.

        Args:
            look: returns how far the named projection is now.
            notified: knows what has been notified of the projections' commits.
            patience_seconds: the longest wait.
            poll_seconds: the longest time without looking.
        """
        self._look = look
        self._notified = notified
        self._patience_seconds = patience_seconds
        self._poll_seconds = poll_seconds

    async def wait(
        self, projection: str, written: Collection[LogPosition], *, patience_seconds: float | None = None
    ) -> bool:
        """Wait for what a client has written, as far as it is in this log at all.

        Args:
            projection: the projection's name.
            written: positions; those of another log, or beyond the head, are ignored.
            patience_seconds: the longest wait, if it is another one than usual.

        Returns:
            Whether what is read from now on includes everything up to the positions.
        """
        clock = asyncio.get_running_loop().time
        began = clock()
        patience = self._patience_seconds if patience_seconds is None else patience_seconds
        deadline, look_at = began + patience, began + self._poll_seconds
        is_there = False
        while True:
            told = self._notified.reached(projection)
            if told is None or any(each.log_id != told.log_id for each in written):
                # Nobody tells, or of another log than the client's, which may be the one by now.
                look_at = clock()
            elif all(each.position <= told.position for each in written):
                is_there = True
                break
            # Taken before looking, so that a commit just after it is not missed.
            wakeup = self._notified.next(projection)
            if clock() >= min(look_at, deadline):
                is_there = await self._is_there(projection, written)
                if is_there or clock() >= deadline:
                    break
                look_at = clock() + self._poll_seconds
            with suppress(TimeoutError):
                async with asyncio.timeout_at(min(look_at, deadline)):
                    await wakeup.wait()
        metrics.FRESHNESS_SECONDS.observe(clock() - began)
        metrics.STALE.inc(not is_there)
        return is_there

    async def _is_there(self, projection: str, written: Collection[LogPosition]) -> bool:
        progress = await self._look(projection)
        self._notified.seen(projection, LogPosition(progress.log_id, progress.position))
        wanted = max((each.position for each in written if each.log_id == progress.log_id), default=0)
        return not progress.position < wanted <= progress.head


async def is_fresh(request: Request, table: ReadTable, *, patience_seconds: float | None = None) -> bool:
    """Wait for what the client has written, if it says that it has; tell whether that can be read now."""
    written = received_positions(request)
    if not written:
        return True
    freshness: Freshness = request.app.state.freshness
    return await freshness.wait(table.name, written, patience_seconds=patience_seconds)
