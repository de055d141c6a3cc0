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
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from ops.base.consistency import LogPosition
from projections.tables import READ_TABLES, EntityTable, ReadTable
from projections.tables.projected import Projected
from query_api.progress import ProjectionProgress

LOOK_SECONDS: Final = 1.0
LEASE_SECONDS: Final = 1.5
"""For so long after a look was sent, nothing but what was notified is believed to have happened."""

_STREAMS: Final = {
    table.name: f"{table.entity.name}:" if isinstance(table, EntityTable) else "" for table in READ_TABLES
}
"""What the names of the streams begin with that a table tells of."""


class Standing(NamedTuple):
    """Where a read table was when somebody looked."""

    log_id: str
    projection: str
    position: int
    version: int
    generation: int


class Unchanged:
    """That nothing has been notified of a stream, or of a whole table, since this was given."""

    __slots__ = ("__weakref__", "_known", "_so_far")

    def __init__(self, known: "_Known") -> None:
        self._known = known
        self._so_far = True

    @property
    def holds(self) -> bool:
        """Whether it is still so, for all that is known now."""
        return self._so_far and self._known.is_current

    def end(self) -> None:
        """Something has been notified."""
        self._so_far = False


class _Known:
    """What is known of one read table, from some moment on until it is forgotten.

    Attributes:
        position: up to which everything has been notified.
        seen: a position that somebody has found it at.
        renewal: the version and the generation of its rows.
        forgotten: whether something may have been missed.
        watched: by the streams' names; None: the whole table.
    """

    __slots__ = ("_lease", "_streams", "forgotten", "position", "renewal", "seen", "watched")

    def __init__(self, lease: "_Lease", streams: str, position: int, renewal: tuple[int, int]) -> None:
        self.position = self.seen = position
        self.renewal = renewal
        self.forgotten = False
        self.watched: WeakValueDictionary[str | None, Unchanged] = WeakValueDictionary()
        self._lease = lease
        self._streams = streams

    @property
    def is_current(self) -> bool:
        return not self.forgotten and self.seen <= self.position and self._lease.is_valid

    def watch(self, stream: str | None) -> Unchanged:
        found = self.watched.get(stream)
        if found is None:
            found = self.watched[stream] = Unchanged(self)
        return found

    def change(self, streams: Iterable[str]) -> None:
        for stream in streams:
            if stream.startswith(self._streams):
                for changed in (stream, None):
                    if (watched := self.watched.pop(changed, None)) is not None:
                        watched.end()

    def begin_anew(self, position: int, renewal: tuple[int, int], *, seen: int) -> "_Known":
        """Forget it, and return what is known from now on."""
        self.forgotten = True
        following = _Known(self._lease, self._streams, position, renewal)
        following.seen = max(seen, position)
        return following


class _Lease:
    """For how long what was looked at counts."""

    __slots__ = ("_clock", "_seconds", "_until")

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds, self._clock, self._until = seconds, clock, 0.0

    @property
    def is_valid(self) -> bool:
        return self._clock() < self._until

    def now(self) -> float:
        return self._clock()

    def renew(self, since: float) -> None:
        self._until = since + self._seconds


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
        self._lease = _Lease(lease_seconds, clock)
        self._log_id = ""
        self._known: dict[str, _Known] = {}
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
                self._known[name] = _after(known, told)
            if (event := self._next.pop(name, None)) is not None:
                event.set()

    def look(self) -> Callable[[Iterable[Standing]], None]:
        """Begin a look; what is returned takes the answer, after all that was notified before it.

        Every projection has a standing, or it has never run.
        """
        sent = self._lease.now()
        before = {name: (known, known.position, known.seen) for name, known in self._known.items()}

        def answered(standings: Iterable[Standing]) -> None:
            found = {standing.projection: standing for standing in standings}
            log_id = next((standing.log_id for standing in found.values()), "")
            if log_id != self._log_id:
                self.forget()
                self._log_id = log_id
            for name, streams in _STREAMS.items() if log_id else ():
                standing = found.get(name, Standing(log_id, name, 0, 0, 0))
                known = self._known.get(name)
                if known is None:
                    self._known[name] = _Known(self._lease, streams, standing.position, standing[3:])
                else:
                    self._known[name] = _found(known, standing, *before.get(name, (None, 0, 0)))
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


def _after(known: _Known, told: Projected | None) -> _Known:
    """Return what is known of a table after a notification."""
    position = known.position if told is None else max(known.position, told.to)
    if told is None or told.streams is None or told.after is None or told.after > known.position:
        return known.begin_anew(position, known.renewal, seen=known.seen)
    known.change(told.streams)
    known.position = position
    return known


def _found(
    known: _Known, standing: Standing, before: _Known | None, position_before: int, seen_before: int
) -> _Known:
    """Return what is known of a table after a look.

    Args:
        known: what was known.
        standing: what the look has found.
        before: what was known when it began.
        position_before: its position then.
        seen_before: what had been seen by then.
    """
    renewal = (standing.version, standing.generation)
    is_same = known is before
    went_back = is_same and standing.position < position_before
    # What was seen before should have been told by now; what this look has seen may be on its way.
    if renewal != known.renewal or went_back or known.seen > known.position:
        seen_since = 0 if is_same and known.seen == seen_before else known.seen
        return known.begin_anew(standing.position, renewal, seen=seen_since)
    known.seen = max(known.seen, standing.position)
    return known
