"""Prometheus metrics of the relay."""

from typing import Final

from prometheus_client import Counter, Gauge

POSITION: Final = Gauge("fleetlog_relay_position", "Last position that Kafka has acknowledged")
LAG_EVENTS: Final = Gauge("fleetlog_relay_lag_events", "Events not yet published")
LAG_SECONDS: Final = Gauge(
    "fleetlog_relay_lag_seconds", "Seconds since this process first saw the oldest event not yet published"
)
LEADING: Final = Gauge("fleetlog_relay_leading", "1 where this process publishes, 0 where it does not")
EVENTS: Final = Counter("fleetlog_relay_events_total", "Events published")
SKIPPED: Final = Counter(
    "fleetlog_relay_records_skipped_total", "Records that the topics already contained after a restart"
)
UNKNOWN: Final = Counter(
    "fleetlog_relay_unknown_events_total", "Events not published because their type has no topic"
)
FAILURES: Final = Counter("fleetlog_relay_failures_total", "Restarts of the relay", ["error"])
ACKNOWLEDGED: Final = Gauge(
    "fleetlog_relay_acknowledged_timestamp_seconds", "When Kafka last acknowledged events"
)
