"""A reader's position in the feed."""

import time
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from query_api.database.source import BATCH, PART_BYTES, next_batch_size
from query_api.feed.filters import EventFilter
from query_api.feed.reader import FeedBatch, FeedEvent
from query_api.feed.recent_events import RecentEvents

AT_ONCE: Final = 250
"""Rows that one statement reads."""


class Cursor:
    """Reads the feed from a position on.

    Attributes:
        position: the position up to which all wanted events have been returned.
        recent: the events in memory; older ones are read from the database.
    """

    def __init__(self, recent: RecentEvents, log_id: str, wanted: EventFilter, position: int) -> None:
        self.position = position
        self.recent = recent
        self._log_id = log_id
        self._wanted = wanted
        self._batch = BATCH

    async def advance(self, upto: int, *, limit: int = AT_ONCE) -> Sequence[FeedEvent]:
        """Advance by one statement, and return the wanted events, possibly none.

        Args:
            upto: the last position to read; all up to it must have been projected.

        Raises:
            psycopg.OperationalError: the database cannot be reached, or takes too long.
            psycopg_pool.PoolTimeout: all connections are in use, or the database cannot be reached.
        """
        if self.position >= upto:
            return []
        batch = self._from_memory(limit) or await self._read(upto, min(limit, AT_ONCE))
        self.position = batch.reached
        return batch.events

    def _from_memory(self, limit: int) -> FeedBatch | None:
        recent = self.recent.after(self.position)
        if not recent:
            return None
        sizes = accumulate(len(event.json) for event in recent[:limit])
        recent = recent[: max(1, sum(size <= PART_BYTES for size in sizes))]
        events = [event for event in recent if self._wanted.matches(event.entity, event.type)]
        return FeedBatch(events, recent[-1].position)

    async def _read(self, upto: int, limit: int) -> FeedBatch:
        last = upto if self._wanted.is_empty else min(upto, self.position + self._batch)
        began = time.monotonic()
        batch = await self.recent.reader.read(
            self._log_id, self._wanted, after=self.position, upto=last, limit=limit
        )
        if batch.reached == last and not self._wanted.is_empty:
            self._batch = next_batch_size(self._batch, time.monotonic() - began)
        return batch
