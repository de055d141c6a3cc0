"""Limits of concurrent requests in one process, per subject or in total.

Concurrent requests are counted, not requests per second, because a thousand short reads cost less than one
long one.
"""

from collections import Counter
from functools import partial
from typing import Final, Literal

import prometheus_client
from starlette.types import Scope

from ops.base.http.problems import Problem, unavailable
from ops.base.http.request_context import when_answered

Name = Literal["requests-of-subject", "streams-of-subject", "streams", "audit-files"]

_REFUSALS: Final = prometheus_client.Counter(
    "fleetlog_limit_refusals_total", "Requests refused because too many were running", ["limit"]
)
_RUNNING: Final = prometheus_client.Gauge(
    "fleetlog_limit_running", "Running requests that count towards a limit", ["limit"]
)
_DETAILS: Final[dict[Name, str]] = {
    "requests-of-subject": "Too many of your requests run at once. Please try again.",
    "streams-of-subject": "Too many of your streams are open. Close one and try again.",
    "audit-files": "Other audit files are being made. Please try again in a minute.",
    "streams": "This server has too many open streams. Please try again.",
}


class Limit:
    """A limit of concurrent requests of one kind."""

    def __init__(self, name: Name, most: int) -> None:
        """Create a limit of `most` requests."""
        self._name: Final[Name] = name
        _REFUSALS.labels(name)  # a counter that begins with 1 shows no increase
        self._most = most
        self._running: Counter[str] = Counter()
        _RUNNING.labels(name).set_function(self._running.total)

    def take(self, scope: Scope, subject: str = "", *, retry_after: int = 1) -> None:
        """Count a request until it has been answered.

        Args:
            subject: the caller; empty: the limit is for all callers together.
            retry_after: seconds after which a refused caller may try again.

        Raises:
            Problem: the limit is reached: 429, or 503 if the limit is for all callers together.
        """
        running = self._running.get(subject, 0)
        if running >= self._most:
            _REFUSALS.labels(self._name).inc()
            detail = _DETAILS[self._name]
            if not subject:
                raise unavailable(detail, retry_after=5)
            raise Problem(429, "too-many-requests", detail, headers={"Retry-After": str(retry_after)})
        self._running[subject] = running + 1
        when_answered(scope, partial(self._give_back, subject))

    def _give_back(self, subject: str) -> None:
        running = self._running.pop(subject) - 1
        if running:
            self._running[subject] = running
