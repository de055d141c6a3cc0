"""Prometheus metrics of notifications."""

from typing import Final

from prometheus_client import Counter, Gauge

LEADING: Final = Gauge("fleetlog_notify_leading", "1 where this process delivers notifications, else 0")
FAILURES: Final = Counter("fleetlog_notify_failures_total", "Restarts of the notifier", ["error"])
DELIVERIES: Final = Counter(
    "fleetlog_notify_deliveries_total", "Attempts to deliver a notification", ["channel", "ok"]
)
FAILING_SECONDS: Final = Gauge(
    "fleetlog_notify_failing_seconds",
    "Seconds since a subscription's deliveries began to fail",
    ["subscription"],
)
