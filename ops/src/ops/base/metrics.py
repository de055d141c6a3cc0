"""Metrics that every HTTP service has; each service declares its own beside the code that counts."""

from typing import Final

from prometheus_client import Counter, Histogram

REQUESTS: Final = Counter(
    "fleetlog_http_requests_total", "HTTP requests answered", ["service", "method", "route", "status"]
)
REQUEST_SECONDS: Final = Histogram(
    "fleetlog_http_request_duration_seconds", "Time to answer a request", ["service", "method", "route"]
)
