"""Prometheus metrics of the worker."""

from typing import Final

from prometheus_client import Counter, Gauge

POSITION: Final = Gauge("fleetlog_projection_position", "Last position handled", ["projection"])
LAG_EVENTS: Final = Gauge("fleetlog_projection_lag_events", "Events not yet handled", ["projection"])
LAG_SECONDS: Final = Gauge(
    "fleetlog_projection_lag_seconds",
    "Seconds since this process first saw the oldest event not yet handled",
    ["projection"],
)
QUARANTINED: Final = Gauge(
    "fleetlog_projection_quarantined_streams",
    "Quarantined streams",
    ["projection"],
)
LEADING: Final = Gauge(
    "fleetlog_projection_leading", "1 if this process holds the lease, 0 if it is a standby", ["projection"]
)
BATCHES: Final = Counter("fleetlog_projection_batches_total", "Batches committed", ["projection"])
EVENTS: Final = Counter("fleetlog_projection_events_total", "Events handled", ["projection"])
FAILURES: Final = Counter(
    "fleetlog_projection_failures_total",
    "Restarts of the projection",
    ["projection", "error"],
)
SEALING: Final = Gauge("fleetlog_sealing_leading", "1 if this process seals the log, otherwise 0")
SEALED_POSITION: Final = Gauge("fleetlog_sealing_position", "Position up to which the log is sealed")
SEALED_MOMENT: Final = Gauge(
    "fleetlog_sealing_checkpoint_timestamp_seconds", "When the last checkpoint was signed; 0 without any"
)
UNSEALED_EVENTS: Final = Gauge("fleetlog_sealing_lag_events", "Events not yet sealed")
UNSEALED_SINCE: Final = Gauge(
    "fleetlog_sealing_waiting_timestamp_seconds",
    "When the oldest event that is not yet sealed began to wait; 0 if all are sealed",
)
"""A time, not an age, so that it stays correct after the sealer has stopped."""
SEALING_FAILURES: Final = Counter("fleetlog_sealing_failures_total", "Times sealing stopped", ["error"])
SEALS_DO_NOT_FIT: Final = SEALING_FAILURES.labels("seals do not fit")
"""Created at the start, because an alert needs an increase from 0."""
ERASING: Final = Gauge(
    "fleetlog_erasing_leading", "1 if this process executes erasures, 0 if it is a standby"
)
ERASING_SINCE: Final = Gauge(
    "fleetlog_erasing_waiting_timestamp_seconds",
    "When the oldest erasure without a receipt began; 0 without any",
)
WITNESS_AWAY: Final = Gauge(
    "fleetlog_witness_away", "1 if the sealer cannot reach a witness, otherwise 0", ["witness"]
)
WITNESS_AGREED: Final = Gauge(
    "fleetlog_witness_agreed_timestamp_seconds", "When a witness last had all checkpoints", ["witness"]
)
