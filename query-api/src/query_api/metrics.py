"""Prometheus metrics of the query API."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

FRESHNESS_SECONDS: Final = Histogram(
    "fleetlog_read_your_writes_wait_seconds",
    "Time that queries waited for their clients' last writes",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4),
)
STALE: Final = Counter(
    "fleetlog_read_your_writes_timeouts_total", "Waits for clients' last writes that timed out"
)
REPLICA_UNFIT: Final = Gauge(
    "fleetlog_replica_unfit", "1 while a replica is configured but cannot be used, else 0"
)
REPLICA_LAG_EVENTS: Final = Gauge(
    "fleetlog_replica_lag_events", "Events that the replica has not received from the primary yet"
)
FROM_MEMORY: Final = Counter(
    "fleetlog_reads_from_memory_total", "Queries answered from memory, without asking the database"
)
