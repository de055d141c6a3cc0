"""What the worker counts, for Prometheus."""

from typing import Final

from prometheus_client import Counter, Gauge

POSITION: Final = Gauge("fleetlog_projection_position", "Last position handled", ["projection"])
LAG_EVENTS: Final = Gauge("fleetlog_projection_lag_events", "Events not yet handled", ["projection"])
LAG_SECONDS: Final = Gauge(
    "fleetlog_projection_lag_seconds",
    "For how long this process has known of the oldest event not yet handled",
    ["projection"],
)
QUARANTINED: Final = Gauge(
    "fleetlog_projection_quarantined_streams",
    "Streams set aside because an event could not be applied",
    ["projection"],
)
LEADING: Final = Gauge(
    "fleetlog_projection_leading", "1 where this process does the work, 0 where it stands by", ["projection"]
)
BATCHES: Final = Counter("fleetlog_projection_batches_total", "Batches committed", ["projection"])
EVENTS: Final = Counter("fleetlog_projection_events_total", "Events handled", ["projection"])
FAILURES: Final = Counter(
    "fleetlog_projection_failures_total",
    "Times it stopped and began again",
    ["projection", "error"],
)
SEALING: Final = Gauge("fleetlog_sealing_leading", "1 where this process seals the log, 0 where it does not")
SEALED_POSITION: Final = Gauge("fleetlog_sealing_position", "Position up to which the log is sealed")
SEALED_MOMENT: Final = Gauge(
    "fleetlog_sealing_checkpoint_timestamp_seconds", "When the last checkpoint was signed; 0: there is none"
)
UNSEALED_EVENTS: Final = Gauge("fleetlog_sealing_lag_events", "Events not yet sealed")
UNSEALED_SINCE: Final = Gauge(
    "fleetlog_sealing_waiting_timestamp_seconds",
    "Since when the oldest event that is not yet sealed has waited; 0: all are sealed",
)
"""A moment, not an age: it tells the truth also while the sealer that set it has stopped."""
SEALING_FAILURES: Final = Counter("fleetlog_sealing_failures_total", "Times sealing stopped", ["error"])
SEALS_DO_NOT_FIT: Final = SEALING_FAILURES.labels("seals do not fit")
"""There from the start, or the first one would be no increase."""
ERASING: Final = Gauge(
    "fleetlog_erasing_leading", "1 where this process carries erasures out, 0 where it stands by"
)
ERASING_SINCE: Final = Gauge(
    "fleetlog_erasing_waiting_timestamp_seconds",
    "Since when the oldest erasure that has no receipt is under way; 0: there is none",
)
WITNESS_AWAY: Final = Gauge(
    "fleetlog_witness_away", "1 where a witness cannot be asked or told by who seals the log", ["witness"]
)
WITNESS_AGREED: Final = Gauge(
    "fleetlog_witness_agreed_timestamp_seconds",
    "When a witness last had every checkpoint that there was",
    ["witness"],
)
