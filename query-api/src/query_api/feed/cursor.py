"""Where a reader of the feed has come to."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from query_api.feed.filters import Filter
from query_api.feed.newest import Newest
from query_api.feed.reading import Batch, FeedEvent, Reader
from query_api.reading.source import PART_BYTES, STRETCH, grown

AT_ONCE: Final = 250
"""Rows read at once by those who catch up."""


@dataclass(frozen=True)
class Feed:
    """The feed: what is new is shared, what is older everybody reads for themselves."""

    reader: Reader
    newest: Newest


class Cursor:
    """Goes through the feed, from a position on.

    Attributes:
        position: everything wanted up to it has been given.
    """

    def __init__(self, feed: Feed, log_id: str, wanted: Filter, position: int) -> None:
        """Prepare to go.

        Args:
            feed: the feed.
            log_id: which log it is.
            wanted: the filter.
            position: after which it begins.
        """
        self.position = position
        self._feed = feed
        self._log_id = log_id
        self._wanted = wanted
        self._stretch = STRETCH

    async def advance(self, upto: int, *, limit: int = AT_ONCE) -> Sequence[FeedEvent]:
        """Go on as far as one statement leads, and return the wanted events on the way: maybe none.

        Args:
            upto: the last position to look at; all up to it must have been projected.
            limit: how many events at most.

        Raises:
            psycopg.OperationalError: the database cannot be reached, or takes too long.
            psycopg_pool.PoolTimeout: all connections are in use, or the database cannot be reached.
        """
        if self.position >= upto:
            return []
        part = self._shared(limit) or await self._read(upto, min(limit, AT_ONCE))
        self.position = part.reached
        return part.events

    def _shared(self, limit: int) -> Batch | None:
        recent = self._feed.newest.after(self.position)
        if not recent:
            return None
        sizes = accumulate(len(event.json) for event in recent[:limit])
        recent = recent[: max(1, sum(size <= PART_BYTES for size in sizes))]
        events = [event for event in recent if self._wanted.fits(event.entity, event.type)]
        return Batch(events, recent[-1].position)

    async def _read(self, upto: int, limit: int) -> Batch:
        if self._wanted.lets_all_through:
            return await self._feed.reader.read(
                self._log_id, self._wanted, after=self.position, upto=upto, limit=limit
            )
        last = min(upto, self.position + self._stretch)
        began = time.monotonic()
        part = await self._feed.reader.read(
            self._log_id, self._wanted, after=self.position, upto=last, limit=limit
        )
        if part.reached == last:  # the time it took is the stretch's
            self._stretch = grown(self._stretch, time.monotonic() - began)
        return part
