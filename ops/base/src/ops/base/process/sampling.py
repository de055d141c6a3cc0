"""Requests answered by this process, in steps of five minutes."""

import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Final, NamedTuple

from ops.base.observability.metrics import FAST_BUCKETS, of_requests

STEP_SECONDS: Final = 300
BUCKETS: Final = len(FAST_BUCKETS) + 1
"""Of the histogram: each counts all before it, and the last one everything."""
_COMMANDS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_LASTING: Final = frozenset({"/api/v1/events"})
"""Routes whose answers take as long as the client likes."""
_MOST_WAITING: Final = 48 * 3600 // STEP_SECONDS
"""So many steps are kept while the database is away; it would not take older ones."""


class Counts(NamedTuple):
    """What was answered."""

    commands: int
    reads: int
    refusals: int
    """With a status of 400 or more."""
    errors: int
    """With one of 500 or more."""
    buckets: tuple[int, ...]

    def since(self, before: "Counts") -> "Counts":
        """Return what came after an earlier state of the same counters."""
        return Counts(
            self.commands - before.commands,
            self.reads - before.reads,
            self.refusals - before.refusals,
            self.errors - before.errors,
            tuple(now - then for now, then in zip(self.buckets, before.buckets, strict=True)),
        )


NOTHING: Final = Counts(0, 0, 0, 0, (0,) * BUCKETS)


class Sampler:
    """Tells steps apart in counters that only grow."""

    def __init__(
        self,
        count: Callable[[], Counts],
        clock: Callable[[], float] = time.time,
        *,
        most: int = _MOST_WAITING,
    ) -> None:
        """Begin with the first step.

        Args:
            count: returns what was answered since the process began.
            clock: gives seconds since 1970.
            most: how many steps wait at most.
        """
        self._count = count
        self._clock = clock
        self._most = most
        self._before = NOTHING
        """What had been answered when the current step began."""
        self._last = NOTHING
        self.waiting: dict[int, Counts] = {}
        """By the seconds since 1970 at which their steps begin: what nobody has taken yet, whole."""

    def look(self) -> None:
        """See what was answered since the last look; it counts for the step in which it is seen."""
        step = int(self._clock()) // STEP_SECONDS * STEP_SECONDS
        if self.waiting and step > max(self.waiting):
            self._before = self._last
        self._last = self._count()
        self.waiting[step] = self._last.since(self._before)
        for oldest in sorted(self.waiting)[: -self._most]:
            del self.waiting[oldest]

    def take(self, steps: Iterator[int] | tuple[int, ...]) -> None:
        """Forget steps that were kept elsewhere; the current one goes on."""
        for step in steps:
            if step != max(self.waiting):
                del self.waiting[step]


class _Counter:
    """What one service has answered since this process began."""

    def __init__(self) -> None:
        self.commands = self.reads = self.refusals = self.errors = 0
        self.buckets = [0] * BUCKETS


_counters = defaultdict[str, _Counter](_Counter)


def count_request(service: str, method: str, route: str, status: int, seconds: float) -> None:
    """Count an answer, for Prometheus and for the samples."""
    requests, request_seconds = of_requests(service, method, route, status)
    requests.inc()
    request_seconds.observe(seconds)
    counter = _counters[service]
    if method in _COMMANDS:
        counter.commands += 1
    else:
        counter.reads += 1
    counter.refusals += status >= 400
    counter.errors += status >= 500
    if route not in _LASTING:
        counter.buckets[bisect_left(FAST_BUCKETS, seconds)] += 1


def counts_of(service: str) -> Counts:
    """Return what a service has answered since this process began."""
    counter = _counters[service]
    buckets = tuple(accumulate(counter.buckets))
    return Counts(counter.commands, counter.reads, counter.refusals, counter.errors, buckets)
