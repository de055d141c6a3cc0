"""The feed's newest events, read once for all streams that wait at the head."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import psycopg
import structlog
from psycopg_pool import PoolTimeout

from query_api.feed.filters import EVERYTHING
from query_api.feed.reader import EventReader, FeedEvent
from query_api.freshness.notifications import Notifications
from query_api.freshness.read_your_writes import ProjectionProgress
from read_model.tables import REVISIONS

KEPT: Final = 1000
"""Events kept in memory; readers further behind read from the database."""
KEPT_BYTES: Final = 8_000_000
READ_AT_ONCE: Final = 250
POLL_SECONDS: Final = 1.0
"""Interval at which the head is polled, in case a notification is lost."""
RETRY_SECONDS: Final = 0.5

logger = structlog.get_logger()


class RecentEvents:
    """Follows the head of the feed while it has subscribers, and wakes them.

    Attributes:
        head: the last known position that can be read.
        generation: changes when another log, or an older state of the log, has replaced it.
        reader: reads events from the database.
    """

    def __init__(
        self,
        read_progress: Callable[[str], Awaitable[ProjectionProgress]],
        reader: EventReader,
        notifications: Notifications,
        *,
        kept: int = KEPT,
    ) -> None:
        self.head = 0
        self.generation = 0
        self.reader = reader
        self._read_progress = read_progress
        self._notifications = notifications
        self._log_id: str | None = None
        self._floor = 0
        """All events after this position, up to the head, are in memory."""
        self._kept = kept
        self._events: deque[FeedEvent] = deque()
        self._bytes = 0
        self._subscribers: set[asyncio.Event] = set()
        self._has_subscribers = asyncio.Event()

    @contextmanager
    def subscribed(self, wakeup: asyncio.Event) -> Iterator[None]:
        """Set an event whenever new events arrive."""
        self._subscribers.add(wakeup)
        self._has_subscribers.set()
        try:
            yield
        finally:
            self._subscribers.discard(wakeup)
            if not self._subscribers:
                self._has_subscribers.clear()

    def after(self, position: int) -> list[FeedEvent] | None:
        """Return all events after a position, up to the head, or None if they are not in memory."""
        if not self._floor <= position <= self.head:
            return None
        found: list[FeedEvent] = []
        for event in reversed(self._events):
            if event.position <= position:
                break
            found.append(event)
        return found[::-1]

    async def run(self) -> None:
        """Follow the feed until cancelled."""
        while True:
            if not self._has_subscribers.is_set():
                self._reset()
                await self._has_subscribers.wait()
            # Taken before the poll, so that a commit just after the poll is not missed.
            wakeup = self._notifications.next_commit(REVISIONS.name)
            try:
                await self._catch_up()
            except (psycopg.Error, PoolTimeout) as error:
                logger.warning("feed_cannot_read", error=type(error).__name__)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            with suppress(TimeoutError):
                await asyncio.wait_for(wakeup.wait(), POLL_SECONDS)

    async def _catch_up(self) -> None:
        progress = await self._read_progress(REVISIONS.name)
        if progress.log_id != self._log_id or progress.position < self.head:
            replaced = self._log_id is not None
            self._reset()
            self._log_id = progress.log_id
            self._floor = self.head = progress.position
            self.generation += replaced
            self._wake_subscribers()
        if progress.position - self.head > self._kept:
            self._clear_events()
            self._floor = self.head = progress.position - self._kept
        while self.head < progress.position:
            batch = await self.reader.read(
                progress.log_id, EVERYTHING, after=self.head, upto=progress.position, limit=READ_AT_ONCE
            )
            self._keep(batch.events)
            self.head = batch.reached
            self._wake_subscribers()

    def _keep(self, events: list[FeedEvent]) -> None:
        for event in events:
            self._events.append(event)
            self._bytes += len(event.json)
        while self._events and (len(self._events) > self._kept or self._bytes > KEPT_BYTES):
            oldest = self._events.popleft()
            self._floor = oldest.position
            self._bytes -= len(oldest.json)

    def _reset(self) -> None:
        self._log_id = None
        self._clear_events()
        self._floor = self.head = 0

    def _clear_events(self) -> None:
        self._events.clear()
        self._bytes = 0

    def _wake_subscribers(self) -> None:
        for wakeup in self._subscribers:
            wakeup.set()
