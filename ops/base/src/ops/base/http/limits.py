"""How much of one process may be used at once: by one subject, or by all together.

What runs is counted, not what comes in a second: a thousand quick reads cost less than one that lasts. Each
process counts its own.
"""

from collections import Counter
from functools import partial
from typing import Final, Literal

import prometheus_client
from starlette.types import Scope

from ops.base.http.problems import Problem, too_many_requests, unavailable
from ops.base.http.request_context import when_answered

Name = Literal["requests-of-subject", "streams-of-subject", "streams"]

"""Running at once: twice what the benchmarks' busiest client has. Work is shared and queued far below that,
so nobody gains by more; without a bound, one token holds as much as it likes."""

_REFUSALS: Final = prometheus_client.Counter(
    "fleetlog_limit_refusals_total", "Requests refused because too much runs already", ["limit"]
)
_RUNNING: Final = prometheus_client.Gauge(
    "fleetlog_limit_running", "Requests that run now and count against a limit", ["limit"]
)
_DETAILS: Final[dict[Name, str]] = {
    "requests-of-subject": "Too many of your requests run at once. Please try again.",
    "streams-of-subject": "You have as many streams as one may have. Please close one first.",
    "streams": "There are as many streams as this server can have. Please try again.",
}


class Limit:
    """Of one kind of work, so much at once, and the rest is refused."""

    def __init__(self, name: Name, most: int) -> None:
        """Prepare to count.

        Args:
            name: of what.
            most: how much there may be at once.
        """
        self._name: Final[Name] = name
        _REFUSALS.labels(name)  # from the start, or the first one would be no increase
        self._most = most
        self._running: Counter[str] = Counter()
        _RUNNING.labels(name).set_function(self._running.total)

    def take(self, scope: Scope, subject: str = "") -> None:
        """Count a request until it has been answered.

        Args:
            scope: the request's.
            subject: who sent it; nobody, where all count together.

        Raises:
            Problem: 429, or 503 where all count together: as much as may be runs already.
        """
        running = self._running.get(subject, 0)
        if running >= self._most:
            _REFUSALS.labels(self._name).inc()
            raise self._refusal(together=not subject)
        self._running[subject] = running + 1
        when_answered(scope, partial(self._give_back, subject))

    def _give_back(self, subject: str) -> None:
        running = self._running.pop(subject) - 1
        if running:
            self._running[subject] = running

    def _refusal(self, *, together: bool) -> Problem:
        detail = _DETAILS[self._name]
        return unavailable(detail, retry_after=5) if together else too_many_requests(detail)
