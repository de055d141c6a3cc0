"""The log's end, read once for all who follow it in this process."""

import asyncio
from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import Final, Never

import structlog
from psycopg import sql

from command_api.event_store.records import RecordedEvent
from command_api.event_store.statements import APPENDED_CHANNEL
from ops.base.database.connection import connect
from ops.base.database.prepared import PreparedSession
from projections.leading.sessions import ANSWER_SECONDS
from projections.reading.log import BATCH_BYTES, BATCH_EVENTS, read_head, read_next, told_head

logger = structlog.get_logger()

POLL_SECONDS: Final = 1.0
"""How long a lost notification can delay an event."""
_PAUSE_SECONDS: Final = 0.5


class Tail:
    """Keeps the latest events in memory, on a connection that it opens again whenever it is lost.

    It is a short cut: whoever is further back than it reaches, or hears nothing of it, reads the log itself.

    Attributes:
        changed: set when there are further events; for whoever waits to clear.
    """

    def __init__(
        self,
        dsn: str,
        *,
        poll_seconds: float = POLL_SECONDS,
        max_events: int = BATCH_EVENTS,
        max_bytes: int = BATCH_BYTES,
    ) -> None:
        """Describe the tail; `run` makes it follow the log.

        Args:
            dsn: where to connect.
            poll_seconds: how long a lost notification can delay an event.
            max_events: the most to keep.
            max_bytes: the most bytes of payloads to keep, but at least one event.
        """
        self.poll_seconds = poll_seconds
        self.changed = asyncio.Event()
        self._dsn = dsn
        self._max_events, self._max_bytes = max_events, max_bytes
        self._events: deque[RecordedEvent] = deque()
        self._bytes = 0
        self._head = 0

    async def run(self) -> Never:
        """Follow the log until cancelled."""
        while True:
            try:
                connection = await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS)
                # Before the first reading: an event appended between the two is then either read or notified.
                await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(APPENDED_CHANNEL)))
                head = await read_head(connection)
                async with PreparedSession(connection) as session:
                    await self._follow(session, head)
            except Exception as error:  # noqa: BLE001 - whatever it is: followers manage, and it tries again
                logger.warning("tail_lost", error=type(error).__name__)
            await asyncio.sleep(_PAUSE_SECONDS)

    def reaches(self, position: int) -> bool:
        """Tell whether it has all events that follow a position, as far as it knows."""
        return position >= self._head - len(self._events)

    def after(self, position: int) -> Sequence[RecordedEvent]:
        """Return the events that follow a position, without a gap; none where it does not reach."""
        number = self._head - position
        if not 0 < number <= len(self._events):
            return ()
        return list(islice(reversed(self._events), number))[::-1]

    async def _follow(self, session: PreparedSession, last: int) -> Never:
        self.begin(last)
        while True:
            head = told_head(await session.notified(seconds=self.poll_seconds))
            while head is None or head > last:
                batch = await read_next(session, after=last)
                if not batch:
                    break
                last = batch[-1].position
                self.add(batch)

    def begin(self, head: int) -> None:
        """Have nothing before a position."""
        self._events.clear()
        self._bytes, self._head = 0, head
        self.changed.set()

    def forget(self) -> None:
        """Have no event, for each holds its key: whoever is behind reads the log."""
        self.begin(self._head)

    def add(self, batch: Sequence[RecordedEvent]) -> None:
        """Keep the next events, and of the earlier ones as many as still fit."""
        self._events.extend(batch)
        self._bytes += sum(len(event.state) for event in batch)
        self._head = batch[-1].position
        while len(self._events) > 1 and (
            len(self._events) > self._max_events or self._bytes > self._max_bytes
        ):
            self._bytes -= len(self._events.popleft().state)
        self.changed.set()
