"""What is known of one read table, from some moment on until it is forgotten; see `notified`."""

from collections.abc import Callable, Iterable
from typing import NamedTuple
from weakref import WeakValueDictionary

from projections.tables.projected import Projected


class Standing(NamedTuple):
    """Where a read table was when somebody looked."""

    log_id: str
    projection: str
    position: int
    version: int
    generation: int


class Lease:
    """For how long what was looked at counts."""

    __slots__ = ("_clock", "_seconds", "_until")

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds, self._clock, self._until = seconds, clock, 0.0

    @property
    def is_valid(self) -> bool:
        """Whether it still does."""
        return self._clock() < self._until

    def now(self) -> float:
        """Return the time, in seconds."""
        return self._clock()

    def renew(self, since: float) -> None:
        """Begin anew, at a look that was sent then."""
        self._until = since + self._seconds


class Unchanged:
    """That nothing has been notified of a stream, or of a whole table, since this was given."""

    __slots__ = ("__weakref__", "_known", "_so_far")

    def __init__(self, known: "Known") -> None:
        self._known = known
        self._so_far = True

    @property
    def holds(self) -> bool:
        """Whether it is still so, for all that is known now."""
        return self._so_far and self._known.is_current

    def end(self) -> None:
        """Something has been notified."""
        self._so_far = False


class Known:
    """What is known of one read table.

    Attributes:
        position: up to which everything has been notified.
        seen: a position that somebody has found it at.
        renewal: the version and the generation of its rows.
        forgotten: whether something may have been missed.
        watched: by the streams' names; None: the whole table.
    """

    __slots__ = ("_lease", "_streams", "forgotten", "position", "renewal", "seen", "watched")

    def __init__(self, lease: "Lease", streams: str, position: int, renewal: tuple[int, int]) -> None:
        self.position = self.seen = position
        self.renewal = renewal
        self.forgotten = False
        self.watched: WeakValueDictionary[str | None, Unchanged] = WeakValueDictionary()
        self._lease = lease
        self._streams = streams

    @property
    def is_current(self) -> bool:
        """Whether nothing else can have happened."""
        return not self.forgotten and self.seen <= self.position and self._lease.is_valid

    def watch(self, stream: str | None) -> Unchanged:
        """Return that nothing has changed of a stream; None: of any."""
        found = self.watched.get(stream)
        if found is None:
            found = self.watched[stream] = Unchanged(self)
        return found

    def change(self, streams: Iterable[str]) -> None:
        """End what is watched of some streams."""
        for stream in streams:
            if stream.startswith(self._streams):
                for changed in (stream, None):
                    if (watched := self.watched.pop(changed, None)) is not None:
                        watched.end()

    def begin_anew(self, position: int, renewal: tuple[int, int], *, seen: int) -> "Known":
        """Forget it, and return what is known from now on."""
        self.forgotten = True
        following = Known(self._lease, self._streams, position, renewal)
        following.seen = max(seen, position)
        return following


def after(known: Known, told: Projected | None) -> Known:
    """Return what is known of a table after a notification."""
    position = known.position if told is None else max(known.position, told.to)
    if told is None or told.streams is None or told.after is None or told.after > known.position:
        return known.begin_anew(position, known.renewal, seen=known.seen)
    known.change(told.streams)
    known.position = position
    return known


def found(
    known: Known, standing: Standing, before: Known | None, position_before: int, seen_before: int
) -> Known:
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
