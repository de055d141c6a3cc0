"""Requests answered by this process, in steps of five minutes."""

import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Final

from prometheus_client import Counter, Histogram

from ops.base.observability.metrics import FAST_BUCKETS

_REQUESTS: Final = Counter(
    "fleetlog_http_requests_total", "HTTP requests answered", ["service", "method", "route", "status"]
)
_REQUEST_SECONDS: Final = Histogram(
    "fleetlog_http_request_duration_seconds",
    "Time to answer a request",
    ["service", "method", "route"],
    buckets=FAST_BUCKETS,
)

STEP_SECONDS: Final = 300
BUCKETS: Final = len(FAST_BUCKETS) + 1
"""Of the histogram of durations; the last has no upper bound."""
_COMMANDS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_STREAMS: Final = frozenset({"/api/v1/events"})
"""Routes whose answers last as long as the client likes."""
MOST_STEPS: Final = 48 * 3600 // STEP_SECONDS
"""Steps kept while the database is away, which accepts no older ones."""


@dataclass
class Sample:
    """Requests of one step.

    Attributes:
        refusals: answers with a status of 400 or more.
        errors: answers with a status of 500 or more.
        durations: counts by bucket.
    """

    commands: int = 0
    reads: int = 0
    refusals: int = 0
    errors: int = 0
    durations: list[int] = field(default_factory=lambda: [0] * BUCKETS)

    def columns(self) -> tuple[int, int, int, int, list[int]]:
        """Return the sample as the database stores it, with cumulative buckets."""
        return self.commands, self.reads, self.refusals, self.errors, [*accumulate(self.durations)]


class Samples:
    """The steps of one service that are not stored yet, by their beginning in seconds since 1970."""

    def __init__(self) -> None:
        self.steps: dict[int, Sample] = {}

    def current(self) -> Sample:
        """Return the current step, which may have to be begun."""
        step = int(time.time()) // STEP_SECONDS * STEP_SECONDS
        if step not in self.steps:
            self.steps[step] = Sample()
            for oldest in sorted(self.steps)[:-MOST_STEPS]:
                del self.steps[oldest]
        return self.steps[step]

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        sample = self.current()
        if method in _COMMANDS:
            sample.commands += 1
        else:
            sample.reads += 1
        sample.refusals += status >= 400
        sample.errors += status >= 500
        if route not in _STREAMS:
            sample.durations[bisect_left(FAST_BUCKETS, seconds)] += 1

    def drop(self, steps: Iterable[int]) -> None:
        """Drop stored steps except the newest, which may still count."""
        for step in sorted(steps)[:-1]:
            del self.steps[step]


_samples = defaultdict[str, Samples](Samples)


def samples_of(service: str) -> Samples:
    """Return the samples of a service of this process."""
    return _samples[service]


def count_request(service: str, method: str, route: str, status: int, seconds: float) -> None:
    """Count an answer for Prometheus and for the samples."""
    requests, request_seconds = _metrics_of(service, method, route, status)
    requests.inc()
    request_seconds.observe(seconds)
    _samples[service].count(method, route, status, seconds)


@cache
def _metrics_of(service: str, method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    """Return what counts such requests, and what takes their time; finding them costs more than counting."""
    return (
        _REQUESTS.labels(service, method, route, str(status)),
        _REQUEST_SECONDS.labels(service, method, route),
    )
