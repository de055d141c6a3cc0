"""What notifications say of the read tables, so that answers can come from memory.

A cache watches a stream or table from before it is read: while `Unchanged.holds`, no change of it has been
notified since. A worker may die between its commit and its notification, so each notification must begin
where the one before it ended; and each poll, whose result arrives over the same connection as the
notifications, must find each table where they have led. Otherwise everything about a table is forgotten. A
poll's result counts for a limited time, the lease.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from ops.base.http.consistency import LogPosition
from projections.tables import READ_TABLES, EntityTable, ReadTable
from projections.tables.projected import Projected

LOOK_SECONDS: Final = 1.0
LEASE_SECONDS: Final = 1.5
"""For how long after a poll was sent nothing but what was notified is assumed to have happened."""

_PREFIXES: Final = {
    table.name: f"{table.entity.name}:" if isinstance(table, EntityTable) else "" for table in READ_TABLES
}
"""The prefix of the names of the streams that a table is made of."""


class TablePosition(NamedTuple):
    """A read table as a poll found it."""

    log_id: str
    projection: str
    position: int
    version: int
    generation: int


class Unchanged:
    """Whether a stream, or a whole table, has changed since this was returned."""

    __slots__ = ("__weakref__", "_state", "_was_notified")

    def __init__(self, state: "_TableState") -> None:
        self._state = state
        self._was_notified = False

    @property
    def holds(self) -> bool:
        """Whether nothing has changed, as far as notifications say."""
        return not self._was_notified and self._state.is_current

    def end(self) -> None:
        """Record that a change was notified."""
        self._was_notified = True


class _TableState:
    """The state of one read table, from some moment on until something may have been missed.

    Attributes:
        position: up to which all changes have been notified.
        seen: the highest position that a poll or a query has found.
        is_forgotten: whether something may have been missed.
    """

    __slots__ = ("_name", "_notified", "_renewal", "_watched", "is_forgotten", "position", "seen")

    def __init__(self, notified: "Notified", found: TablePosition, *, seen: int = 0) -> None:
        self.position, self.seen = found.position, max(seen, found.position)
        self.is_forgotten = False
        self._notified, self._name = notified, found.projection
        self._renewal = (found.version, found.generation)
        self._watched: WeakValueDictionary[str | None, Unchanged] = WeakValueDictionary()

    @property
    def is_current(self) -> bool:
        """Whether no other change can have been committed."""
        return not self.is_forgotten and self.seen <= self.position and self._notified.has_lease

    def watch(self, stream: str | None) -> Unchanged:
        """Return whether a stream changes from now on; None: any stream."""
        found = self._watched.get(stream)
        if found is None:
            found = self._watched[stream] = Unchanged(self)
        return found

    def after(self, told: Projected | None) -> "_TableState":
        """Return the state after a notification; None: one that cannot be decoded."""
        position = self.position if told is None else max(self.position, told.to)
        if told is None or told.streams is None or told.after > self.position:
            return self._replaced(TablePosition("", self._name, position, *self._renewal), seen=self.seen)
        for stream in told.streams:
            if stream.startswith(_PREFIXES[self._name]):
                for changed in (stream, None):
                    if (watched := self._watched.pop(changed, None)) is not None:
                        watched.end()
        self.position = position
        return self

    def compared(self, found: TablePosition, before: "tuple[_TableState | None, int, int]") -> "_TableState":
        """Return the state after a poll.

        Args:
            found: the poll's result.
            before: the state when the poll was sent, and its `position` and `seen` then.
        """
        state, position, seen = before
        went_back = state is self and found.position < position
        # A position seen before the poll should have been notified by now; one seen by it may be on its way.
        if (found.version, found.generation) != self._renewal or went_back or self.seen > self.position:
            return self._replaced(found, seen=0 if state is self and self.seen == seen else self.seen)
        self.seen = max(self.seen, found.position)
        return self

    def _replaced(self, found: TablePosition, *, seen: int) -> "_TableState":
        self.is_forgotten = True
        return _TableState(self._notified, found, seen=seen)


class Notified:
    """The read tables' states; it also wakes queries that wait for a projection's next commit."""

    def __init__(
        self, *, lease_seconds: float = LEASE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin without any state.

        Args:
            lease_seconds: see `LEASE_SECONDS`; 0: nothing is ever answered without asking.
            clock: returns seconds.
        """
        self._lease_seconds, self._clock, self._leased_until = lease_seconds, clock, 0.0
        self._log_id = ""
        self._states: dict[str, _TableState] = {}
        self._next: dict[str, asyncio.Event] = {}

    @property
    def has_lease(self) -> bool:
        """Whether the last poll still counts."""
        return self._clock() < self._leased_until

    def watch(self, table: ReadTable, stream: str | None = None) -> Unchanged | None:
        """Begin to watch for changes, before something is read; None: changes might be missed.

        Args:
            table: of which table.
            stream: one of its streams; None: any.
        """
        state = self._states.get(table.name)
        return state.watch(stream) if state is not None and state.is_current else None

    def reached(self, projection: str) -> LogPosition | None:
        """Return the position that a projection has reached; None: only the database can tell."""
        state = self._states.get(projection)
        return LogPosition(self._log_id, state.position) if state is not None and state.is_current else None

    def next(self, projection: str) -> asyncio.Event:
        """Return the event of the projection's next commit."""
        return self._next.setdefault(projection, asyncio.Event())

    def notify(self, payload: str) -> None:
        """Apply a notification; one that is empty or cannot be decoded may mean any change."""
        told = Projected.parse(payload)
        for name in {*_PREFIXES, *self._next} if told is None else told.projections:
            state = self._states.get(name)
            if state is not None:
                self._states[name] = state.after(told)
            if (event := self._next.pop(name, None)) is not None:
                event.set()

    def look(self) -> Callable[[Iterable[TablePosition]], None]:
        """Begin a poll; the function returned takes its result, after all notifications that came before it.

        A projection that is missing in the result has never run.
        """
        sent = self._clock()
        before = {name: (state, state.position, state.seen) for name, state in self._states.items()}

        def answered(positions: Iterable[TablePosition]) -> None:
            found = {one.projection: one for one in positions}
            log_id = next((one.log_id for one in found.values()), "")
            if log_id != self._log_id:
                self.forget()
                self._log_id = log_id
            for name in _PREFIXES if log_id else ():
                position = found.get(name, TablePosition(log_id, name, 0, 0, 0))
                state = self._states.get(name)
                if state is None:
                    self._states[name] = _TableState(self, position)
                else:
                    self._states[name] = state.compared(position, before.get(name, (None, 0, 0)))
            self._leased_until = sent + self._lease_seconds

        return answered

    def seen(self, projection: str, found: LogPosition) -> None:
        """Record the position at which a query over another connection found a projection."""
        state = self._states.get(projection)
        if found.log_id != self._log_id:
            self.forget()
        elif state is not None:
            state.seen = max(state.seen, found.position)

    def forget(self) -> None:
        """Forget all states until the next poll: notifications were lost, or everything may have changed."""
        for state in self._states.values():
            state.is_forgotten = True
        self._states.clear()
        self._log_id = ""
