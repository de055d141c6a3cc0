"""The feed's newest events, read once for all who are waiting for them."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import psycopg
import structlog
from psycopg_pool import PoolTimeout

from projections.tables import REVISIONS
from query_api.feed.filters import EVERYTHING
from query_api.feed.reading import FeedEvent, Reader
from query_api.freshness.notified import Notified
from query_api.freshness.waiting import ProjectionProgress

KEPT: Final = 1000
"""Events; whoever is further behind reads for themselves."""
KEPT_BYTES: Final = 8_000_000
"""Of them together."""
READ_AT_ONCE: Final = 250
POLL_SECONDS: Final = 1.0
"""It looks again so often even without being notified, once for all."""
RETRY_SECONDS: Final = 0.5

logger = structlog.get_logger()


class Newest:
    """Follows the head of the feed while anybody waits for it, and rings their bells.

    Attributes:
        head: the last position that can be read, as far as is known.
        generation: changes when another log, or an older state of it, has taken the log's place.
    """

    def __init__(
        self,
        look: Callable[[str], Awaitable[ProjectionProgress]],
        reader: Reader,
        notified: Notified,
        *,
        kept: int = KEPT,
    ) -> None:
        """Prepare to follow.

        Args:
            look: returns how far the named projection is now.
            reader: reads events.
            notified: tells of the projections' commits.
            kept: how many events to keep.
        """
        self.head = 0
        self.generation = 0
        self._look = look
        self._reader = reader
        self._notified = notified
        self._log_id: str | None = None
        self._floor = 0
        """All events after it, up to the head, are kept."""
        self._kept = kept
        self._events: deque[FeedEvent] = deque()
        self._bytes = 0
        self._bells: set[asyncio.Event] = set()
        self._wanted = asyncio.Event()

    @contextmanager
    def ringing(self, bell: asyncio.Event) -> Iterator[None]:
        """Have a bell set whenever there is something new."""
        self._bells.add(bell)
        self._wanted.set()
        try:
            yield
        finally:
            self._bells.discard(bell)
            if not self._bells:
                self._wanted.clear()

    def after(self, position: int) -> list[FeedEvent] | None:
        """Return all events after a position, up to the head; None where they are not kept."""
        if not self._floor <= position <= self.head:
            return None
        found: list[FeedEvent] = []
        for event in reversed(self._events):
            if event.position <= position:
                break
            found.append(event)
        return found[::-1]

    async def run(self) -> None:
        """Follow, for ever; cancel it to end it."""
        while True:
            if not self._wanted.is_set():
                self._forget()
                await self._wanted.wait()
            # Taken before looking, so that a commit just after it is not missed.
            wakeup = self._notified.next(REVISIONS.name)
            try:
                await self._catch_up()
            except (psycopg.Error, PoolTimeout) as error:
                logger.warning("feed_cannot_read", error=type(error).__name__)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            with suppress(TimeoutError):
                await asyncio.wait_for(wakeup.wait(), POLL_SECONDS)

    async def _catch_up(self) -> None:
        progress = await self._look(REVISIONS.name)
        if progress.log_id != self._log_id or progress.position < self.head:
            replaced = self._log_id is not None
            self._forget()
            self._log_id = progress.log_id
            self._floor = self.head = progress.position
            self.generation += replaced
            self._cache()
        if progress.position - self.head > self._kept:
            self._drop_all()
            self._floor = self.head = progress.position - self._kept
        while self.head < progress.position:
            part = await self._reader.read(
                progress.log_id, EVERYTHING, after=self.head, upto=progress.position, limit=READ_AT_ONCE
            )
            self._keep(part.events)
            self.head = part.reached
            self._cache()

    def _keep(self, events: list[FeedEvent]) -> None:
        for event in events:
            self._events.append(event)
            self._bytes += len(event.json)
        while self._events and (len(self._events) > self._kept or self._bytes > KEPT_BYTES):
            oldest = self._events.popleft()
            self._floor = oldest.position
            self._bytes -= len(oldest.json)

    def _forget(self) -> None:
        self._log_id = None
        self._drop_all()
        self._floor = self.head = 0

    def _drop_all(self) -> None:
        self._events.clear()
        self._bytes = 0

    def _cache(self) -> None:
        for bell in self._bells:
            bell.set()
