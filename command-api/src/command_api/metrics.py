"""Prometheus metrics of the write side."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from ops.base.observability.metrics import FAST_BUCKETS

APPEND_SECONDS: Final = Histogram(
    "fleetlog_append_duration_seconds",
    "Time from a command's append to its commit, including the wait for the writer",
    buckets=FAST_BUCKETS,
)
COMMIT_SECONDS: Final = Histogram(
    "fleetlog_append_commit_duration_seconds",
    "Time of one shared commit, including the wait for the log's lock",
    buckets=FAST_BUCKETS,
)
BATCH_SIZE: Final = Histogram(
    "fleetlog_append_batch_commands",
    "Commands that shared a commit",
    buckets=[1, 2, 4, 8, 16, 32, 64, 128, 256],
)
_CONFLICTS: Final = Counter(
    "fleetlog_command_conflicts_total",
    "Commands that lost against another one: decided again, or refused because of If-Match",
    ["outcome"],
)
RETRIED: Final = _CONFLICTS.labels("retried")
REFUSED: Final = _CONFLICTS.labels("refused")
CLOCK_JUMPED: Final = Gauge(
    "fleetlog_append_clock_jumped", "1 while nothing is appended because the clock is wrong, else 0"
)
REPEATS: Final = Counter(
    "fleetlog_command_repeats_total", "Retries of commands, which got the answer of the first request"
)
EVENTS_READ: Final = Counter(
    "fleetlog_command_events_read_total", "Events that commands have read from the log"
)
EVENT_BYTES_READ: Final = Counter("fleetlog_command_event_bytes_read_total", "Bytes of these events")
