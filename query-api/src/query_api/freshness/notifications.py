"""Notifications of the projections' commits, so that answers can come from memory.

A cache watches a stream or table from before it is read: while `ChangeWatch.is_current`, no change has been
notified since. A worker may die between its commit and its notification, so each notification must begin
where the previous one ended, and each poll, whose result arrives over the same connection, must find each
table where the notifications have led. Otherwise the table's state is discarded. A poll's result is valid for
a limited time, the lease.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from ops.base.http.consistency import LogPosition
from read_model.tables import READ_TABLES, EntityTable, ReadTable
from read_model.tables.notification import ProjectionNotification

POLL_SECONDS: Final = 1.0
LEASE_SECONDS: Final = 1.5
"""Time after sending a poll during which changes without a notification are ruled out."""

_PREFIXES: Final = {
    table.name: f"{table.entity.name}:" if isinstance(table, EntityTable) else "" for table in READ_TABLES
}
"""Prefix of the names of the streams that a table is made of."""


class PolledPosition(NamedTuple):
    """A read table as a poll found it."""

    log_id: str
    projection: str
    position: int
    version: int
    generation: int


class ChangeWatch:
    """Whether a stream or table has changed since the watch began."""

    __slots__ = ("__weakref__", "_state", "_was_notified")

    def __init__(self, state: "_TableState") -> None:
        self._state = state
        self._was_notified = False

    @property
    def is_current(self) -> bool:
        """Whether no change was notified, and none can have been missed."""
        return not self._was_notified and self._state.is_current

    def invalidate(self) -> None:
        """Record that a change was notified."""
        self._was_notified = True


class _TableState:
    """The state of a read table, valid until a notification may have been missed.

    Attributes:
        position: the position up to which all changes have been notified.
        observed: the highest position that a poll or a query has found.
        is_discarded: whether a notification may have been missed.
    """

    __slots__ = ("_name", "_notifications", "_renewal", "_watches", "is_discarded", "observed", "position")

    def __init__(self, notifications: "Notifications", found: PolledPosition, *, observed: int = 0) -> None:
        self.position, self.observed = found.position, max(observed, found.position)
        self.is_discarded = False
        self._notifications, self._name = notifications, found.projection
        self._renewal = (found.version, found.generation)
        self._watches: WeakValueDictionary[str | None, ChangeWatch] = WeakValueDictionary()

    @property
    def is_current(self) -> bool:
        """Whether no other change can have been committed."""
        return not self.is_discarded and self.observed <= self.position and self._notifications.has_lease

    def watch(self, stream: str | None) -> ChangeWatch:
        """Watch a stream from now on; None: all streams."""
        found = self._watches.get(stream)
        if found is None:
            found = self._watches[stream] = ChangeWatch(self)
        return found

    def after(self, commit: ProjectionNotification | None) -> "_TableState":
        """Return the state after a notification; None: one that cannot be decoded."""
        position = self.position if commit is None else max(self.position, commit.to)
        if commit is None or commit.streams is None or commit.after > self.position:
            found = PolledPosition("", self._name, position, *self._renewal)
            return self._replaced(found, observed=self.observed)
        for stream in commit.streams:
            if stream.startswith(_PREFIXES[self._name]):
                for changed in (stream, None):
                    if (watch := self._watches.pop(changed, None)) is not None:
                        watch.invalidate()
        self.position = position
        return self

    def after_poll(
        self, found: PolledPosition, before: "tuple[_TableState | None, int, int]"
    ) -> "_TableState":
        """Return the state after a poll.

        Args:
            found: the poll's result.
            before: the state when the poll was sent, and its `position` and `observed` at that time.
        """
        state, position, observed = before
        went_back = state is self and found.position < position
        # Positions observed before the poll must have been notified by now; the poll's own need not yet.
        if (found.version, found.generation) != self._renewal or went_back or self.observed > self.position:
            is_same = state is self and self.observed == observed
            return self._replaced(found, observed=0 if is_same else self.observed)
        self.observed = max(self.observed, found.position)
        return self

    def _replaced(self, found: PolledPosition, *, observed: int) -> "_TableState":
        self.is_discarded = True
        return _TableState(self._notifications, found, observed=observed)


class Notifications:
    """The read tables' states; also wakes queries that wait for a projection's next commit."""

    def __init__(
        self, *, lease_seconds: float = LEASE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin without any state.

        Args:
            lease_seconds: see `LEASE_SECONDS`; 0: every answer needs a question to the database.
        """
        self._lease_seconds, self._clock, self._leased_until = lease_seconds, clock, 0.0
        self._log_id = ""
        self._states: dict[str, _TableState] = {}
        self._next: dict[str, asyncio.Event] = {}

    @property
    def has_lease(self) -> bool:
        """Whether the last poll is still valid."""
        return self._clock() < self._leased_until

    def watch(self, table: ReadTable, stream: str | None = None) -> ChangeWatch | None:
        """Begin to watch a stream, or all of a table, before it is read; None: changes might be missed."""
        state = self._states.get(table.name)
        return state.watch(stream) if state is not None and state.is_current else None

    def reached(self, projection: str) -> LogPosition | None:
        """Return a projection's position, or None if it must be read from the database."""
        state = self._states.get(projection)
        return LogPosition(self._log_id, state.position) if state is not None and state.is_current else None

    def next_commit(self, projection: str) -> asyncio.Event:
        """Return an event that is set at the projection's next commit."""
        return self._next.setdefault(projection, asyncio.Event())

    def notify(self, payload: str) -> None:
        """Apply a notification; an empty or undecodable one may mean any change."""
        commit = ProjectionNotification.parse(payload)
        for name in {*_PREFIXES, *self._next} if commit is None else commit.projections:
            state = self._states.get(name)
            if state is not None:
                self._states[name] = state.after(commit)
            if (event := self._next.pop(name, None)) is not None:
                event.set()

    def begin_poll(self) -> Callable[[Iterable[PolledPosition]], None]:
        """Begin a poll.

        Returns:
            A function to call with the result, after all notifications that arrived before the result. A
            projection that is missing in the result has never run.
        """
        sent = self._clock()
        before = {name: (state, state.position, state.observed) for name, state in self._states.items()}

        def finish(positions: Iterable[PolledPosition]) -> None:
            found = {one.projection: one for one in positions}
            log_id = next((one.log_id for one in found.values()), "")
            if log_id != self._log_id:
                self.discard()
                self._log_id = log_id
            for name in _PREFIXES if log_id else ():
                position = found.get(name, PolledPosition(log_id, name, 0, 0, 0))
                state = self._states.get(name)
                if state is None:
                    self._states[name] = _TableState(self, position)
                else:
                    self._states[name] = state.after_poll(position, before.get(name, (None, 0, 0)))
            self._leased_until = sent + self._lease_seconds

        return finish

    def observe(self, projection: str, found: LogPosition) -> None:
        """Record a projection's position that a query over another connection has found."""
        state = self._states.get(projection)
        if found.log_id != self._log_id:
            self.discard()
        elif state is not None:
            state.observed = max(state.observed, found.position)

    def discard(self) -> None:
        """Discard all states until the next poll: notifications were lost, or all data may have changed."""
        for state in self._states.values():
            state.is_discarded = True
        self._states.clear()
        self._log_id = ""
