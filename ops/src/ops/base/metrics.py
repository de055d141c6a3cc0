"""Metrics that every HTTP service has; each service declares its own beside the code that counts."""

from functools import cache
from typing import Final

from prometheus_client import Counter, Histogram

REQUESTS: Final = Counter(
    "fleetlog_http_requests_total", "HTTP requests answered", ["service", "method", "route", "status"]
)
REQUEST_SECONDS: Final = Histogram(
    "fleetlog_http_request_duration_seconds", "Time to answer a request", ["service", "method", "route"]
)


@cache
def of_requests(service: str, method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    """Return what counts such requests, and what takes their time; finding them costs more than counting."""
    return (
        REQUESTS.labels(service, method, route, str(status)),
        REQUEST_SECONDS.labels(service, method, route),
    )
