"""What has been notified of the read tables, and so what is known of them without asking the database.

Whoever keeps an answer watches what it tells of from before the answer was read: while `Unchanged.holds`,
nothing of it has been notified since. A worker may die between its commit and its notification, so what is
notified must follow what was notified before it, without a gap; and a look, which is heard over the same
connection as the notifications, must find each table where they have led. Wherever that is not so, all
that is known of a table is forgotten. What nobody has looked at lately is not known either.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Final

from ops.base.http.consistency import LogPosition
from projections.tables import READ_TABLES, EntityTable, ReadTable
from projections.tables.projected import Projected
from query_api.freshness.known import Known, Lease, Standing, Unchanged, after, found
from query_api.freshness.progress import ProjectionProgress

LOOK_SECONDS: Final = 1.0
LEASE_SECONDS: Final = 1.5
"""For so long after a look was sent, nothing but what was notified is believed to have happened."""

_STREAMS: Final = {
    table.name: f"{table.entity.name}:" if isinstance(table, EntityTable) else "" for table in READ_TABLES
}
"""What the names of the streams begin with that a table tells of."""


class Notified:
    """What is known of the read tables; it also wakes those who wait for a projection's next commit."""

    def __init__(
        self, *, lease_seconds: float = LEASE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin, knowing nothing.

        Args:
            lease_seconds: see `LEASE_SECONDS`; 0: nothing is ever known without asking.
            clock: tells seconds.
        """
        self._lease = Lease(lease_seconds, clock)
        self._log_id = ""
        self._known: dict[str, Known] = {}
        self._next: dict[str, asyncio.Event] = {}

    def watch(self, table: ReadTable, stream: str | None = None) -> Unchanged | None:
        """Begin to watch for changes, before something is read; None: nobody could tell of them.

        Args:
            table: of which.
            stream: of which one of its streams; None: any.
        """
        known = self._known.get(table.name)
        return known.watch(stream) if known is not None and known.is_current else None

    def reached(self, projection: str) -> LogPosition | None:
        """Return up to where a projection is known to have come; None: somebody must look."""
        known = self._known.get(projection)
        return LogPosition(self._log_id, known.position) if known is not None and known.is_current else None

    def next(self, projection: str) -> asyncio.Event:
        """Return the event of the projection's next commit."""
        return self._next.setdefault(projection, asyncio.Event())

    def notify(self, payload: str) -> None:
        """Take a notification; one that cannot be read, or an empty one, may mean anything."""
        told = Projected.parse(payload)
        for name in {*_STREAMS, *self._next} if told is None else told.projections:
            known = self._known.get(name)
            if known is not None:
                self._known[name] = after(known, told)
            if (event := self._next.pop(name, None)) is not None:
                event.set()

    def look(self) -> Callable[[Iterable[Standing]], None]:
        """Begin a look; what is returned takes the answer, after all that was notified before it.

        Every projection has a standing, or it has never run.
        """
        sent = self._lease.now()
        before = {name: (known, known.position, known.seen) for name, known in self._known.items()}

        def answered(standings: Iterable[Standing]) -> None:
            told = {standing.projection: standing for standing in standings}
            log_id = next((standing.log_id for standing in told.values()), "")
            if log_id != self._log_id:
                self.forget()
                self._log_id = log_id
            for name, streams in _STREAMS.items() if log_id else ():
                standing = told.get(name, Standing(log_id, name, 0, 0, 0))
                known = self._known.get(name)
                if known is None:
                    self._known[name] = Known(self._lease, streams, standing.position, standing[3:])
                else:
                    self._known[name] = found(known, standing, *before.get(name, (None, 0, 0)))
            self._lease.renew(sent)

        return answered

    def seen(self, projection: str, progress: ProjectionProgress) -> None:
        """Take what somebody has found who asked the database on another connection."""
        known = self._known.get(projection)
        if progress.log_id != self._log_id:
            self.forget()
        elif known is not None:
            known.seen = max(known.seen, progress.position)

    def forget(self) -> None:
        """Know nothing, until the next look: nothing is heard any more, or everything may be different."""
        for known in self._known.values():
            known.forgotten = True
        self._known.clear()
        self._log_id = ""
