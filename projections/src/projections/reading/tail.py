"""The log's end, read once for all who follow it in this process."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Never

import structlog
from psycopg import AsyncConnection, sql

from command_api.event_store.records import RecordedEvent
from command_api.event_store.statements import APPENDED_CHANNEL
from ops.base.connection import connect
from projections.leading.sessions import ANSWER_SECONDS
from projections.reading.log import BATCH_BYTES, BATCH_EVENTS, notified_head, read_batch, read_head

logger = structlog.get_logger()

POLL_SECONDS: Final = 1.0
"""How long a lost notification can delay an event."""
_PAUSE_SECONDS: Final = 0.5


class Tail:
    """Keeps the latest events in memory, on a connection that it opens again whenever it is lost.

    It is a short cut: whoever is further back than it reaches, or hears nothing of it, reads the log itself.
    """

    def __init__(self, dsn: str, *, poll_seconds: float = POLL_SECONDS) -> None:
        self.poll_seconds = poll_seconds
        self._dsn = dsn
        self._events: list[RecordedEvent] = []
        self._head = 0
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Follow the log until cancelled."""
        while True:
            try:
                async with await connect(
                    self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS
                ) as connection:
                    await self._follow(connection)
            except Exception as error:  # noqa: BLE001 - whatever it is: followers manage, and it tries again
                logger.warning("tail_lost", error=type(error).__name__)
            await asyncio.sleep(_PAUSE_SECONDS)

    async def after(self, position: int, *, seconds: float) -> Sequence[RecordedEvent]:
        """Return the events that follow a position, as soon as there are any.

        Args:
            position: the last one already handled.
            seconds: the longest wait.

        Returns:
            The events, in position order and without a gap. None if there are none in time, or if some may
            have been missed; at once if there are some that are older than what it keeps.
        """
        if position >= self._head:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
        start = position + 1 - self._events[0].position if self._events else -1
        return self._events[start:] if start >= 0 else ()

    async def _follow(self, connection: AsyncConnection) -> Never:
        # Before the first reading: an event appended between the two is then either read or notified.
        await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(APPENDED_CHANNEL)))
        last = await read_head(connection)
        self._change([], head=last)
        while True:
            head = await notified_head(connection, seconds=self.poll_seconds)
            while head is None or head > last:
                batch = await read_batch(connection, after=last)
                if not batch:
                    break
                last = batch[-1].position
                self._change(latest([*self._events, *batch]), head=last)

    def _change(self, events: list[RecordedEvent], *, head: int) -> None:
        """Replace the list, for the old one may be being read, and wake those who wait."""
        self._events, self._head = events, head
        self._changed.set()
        self._changed = asyncio.Event()


def latest(
    events: Sequence[RecordedEvent], *, max_events: int = BATCH_EVENTS, max_bytes: int = BATCH_BYTES
) -> list[RecordedEvent]:
    """Return the last events, as many as fit into a batch, but at least one."""
    start, size = len(events) - 1, len(events[-1].state)
    while start > 0 and len(events) - start < max_events:
        size += len(events[start - 1].state)
        if size > max_bytes:
            break
        start -= 1
    return list(events[start:])
