"""What the write side counts, for Prometheus."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from ops.base.observability.metrics import FAST_BUCKETS

APPEND_SECONDS: Final = Histogram(
    "fleetlog_append_duration_seconds",
    "Time from a command's append to its commit, waiting for its turn included",
    buckets=FAST_BUCKETS,
)
COMMIT_SECONDS: Final = Histogram(
    "fleetlog_append_commit_duration_seconds",
    "Time that one shared commit took the database, waiting for the log's lock included",
    buckets=FAST_BUCKETS,
)
BATCH_SIZE: Final = Histogram(
    "fleetlog_append_batch_commands",
    "Commands that shared a commit",
    buckets=[1, 2, 4, 8, 16, 32, 64, 128, 256],
)
_CONFLICTS: Final = Counter(
    "fleetlog_command_conflicts_total",
    "Commands that another one came before: decided again, or refused because of If-Match",
    ["outcome"],
)
RETRIED: Final = _CONFLICTS.labels("retried")
REFUSED: Final = _CONFLICTS.labels("refused")
CLOCK_JUMPED: Final = Gauge(
    "fleetlog_append_clock_jumped", "1 while nothing is appended because the clock cannot be right, else 0"
)
REPEATS: Final = Counter(
    "fleetlog_command_repeats_total", "Commands that came again, answered as they were first"
)
EVENTS_READ: Final = Counter(
    "fleetlog_command_events_read_total", "Events that commands have read from the log to decide on"
)
EVENT_BYTES_READ: Final = Counter("fleetlog_command_event_bytes_read_total", "Bytes of these events")
