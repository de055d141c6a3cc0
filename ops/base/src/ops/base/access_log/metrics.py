"""What the recorder of views counts, for Prometheus."""

from typing import Final

from prometheus_client import Counter, Gauge

VIEWS_WAITING: Final = Gauge(
    "fleetlog_views_waiting", "Answers with personal data of which it waits to be recorded who has seen them"
)
VIEWS_WAITING_SINCE: Final = Gauge(
    "fleetlog_views_waiting_timestamp_seconds", "Since when the oldest of these has waited; 0: there is none"
)
VIEWS_RECORDED: Final = Counter(
    "fleetlog_views_recorded_total", "Answers with personal data of which it was recorded who has seen them"
)
VIEW_BATCHES: Final = Counter("fleetlog_view_batches_total", "Commits with which these were recorded")
VIEW_FAILURES: Final = Counter(
    "fleetlog_view_failures_total", "Attempts to record them that failed, and are made again"
)
VIEWS_REFUSED: Final = Counter(
    "fleetlog_view_refusals_total", "Answers not given because it could not be recorded who sees the answer"
)
