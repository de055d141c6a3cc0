"""What the read side counts, for Prometheus."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

FRESHNESS_SECONDS: Final = Histogram(
    "fleetlog_read_your_writes_wait_seconds",
    "Time that queries waited for what their clients had written",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4),
)
STALE: Final = Counter(
    "fleetlog_read_your_writes_timeouts_total", "Waits for what clients had written that ended without it"
)
REPLICA_UNFIT: Final = Gauge(
    "fleetlog_replica_unfit", "1 while there is a replica that is not fit to be read from, else 0"
)
REPLICA_LAG_EVENTS: Final = Gauge(
    "fleetlog_replica_lag_events", "Events that the primary has and the replica has not"
)
FROM_MEMORY: Final = Counter(
    "fleetlog_reads_from_memory_total", "Queries answered from memory, without asking the database"
)
