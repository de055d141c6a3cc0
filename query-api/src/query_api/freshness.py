"""Reading one's own writes: a query that knows of a write waits for it, but not for ever."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from projections.tables.projected import Projected
from query_api import metrics
from query_api.reading import ProjectionProgress

PATIENCE_SECONDS: Final = 2.0
POLL_SECONDS: Final = 0.1
"""A waiting query looks again so often even without being notified."""


class Wakeups:
    """Wakes those who wait for a projection, whenever it has committed."""

    def __init__(self) -> None:
        self._next: dict[str, asyncio.Event] = {}

    def next(self, projection: str) -> asyncio.Event:
        """Return the event of the projection's next commit."""
        return self._next.setdefault(projection, asyncio.Event())

    def notify(self, payload: str) -> None:
        """Wake those who wait for the projections that a payload names, as `Projected` says.

        An empty payload, or any that cannot be read, wakes all: notifications may have been missed.
        """
        told = Projected.parse(payload)
        for name in list(self._next) if told is None else told.projections:
            event = self._next.pop(name, None)
            if event is not None:
                event.set()


class Freshness:
    """Waits until a projection has reached what a client has written."""

    def __init__(
        self,
        look: Callable[[str], Awaitable[ProjectionProgress]],
        wakeups: Wakeups,
        *,
        patience_seconds: float = PATIENCE_SECONDS,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """Prepare to wait.

        Args:
            look: returns how far the named projection is now.
            wakeups: notified of the projections' commits.
            patience_seconds: the longest wait.
            poll_seconds: the longest time without looking.
        """
        self._look = look
        self._wakeups = wakeups
        self._patience_seconds = patience_seconds
        self._poll_seconds = poll_seconds

    async def wait(self, projection: str, wanted: Callable[[str], int]) -> bool:
        """Wait for a position, if it is one of this log at all.

        Args:
            projection: the projection's name.
            wanted: returns the position to wait for, given the log's id; one beyond the head is ignored.

        Returns:
            Whether what is read from now on includes everything up to the position.
        """
        clock = asyncio.get_running_loop().time
        began = clock()
        deadline = began + self._patience_seconds
        while True:
            # Taken before looking, so that a commit just after it is not missed.
            wakeup = self._wakeups.next(projection)
            progress = await self._look(projection)
            if not progress.position < wanted(progress.log_id) <= progress.head:
                metrics.FRESHNESS_SECONDS.observe(clock() - began)
                return True
            remaining = deadline - clock()
            if remaining <= 0:
                metrics.FRESHNESS_SECONDS.observe(clock() - began)
                metrics.STALE.inc()
                return False
            with suppress(TimeoutError):
                await asyncio.wait_for(wakeup.wait(), min(remaining, self._poll_seconds))
