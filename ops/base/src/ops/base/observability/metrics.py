"""Metrics of all services; other metrics are declared in the module that counts.

Names and units follow https://prometheus.io/docs/practices/naming/. A label's values come from a closed set,
and none from what a client sends. README.md of `ops/alerts` has the list.
"""

from functools import cache
from importlib.metadata import version
from typing import Final

from prometheus_client import Gauge

FAST_BUCKETS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
"""Upper bounds in seconds, for what takes a millisecond when all is well."""

_BUILD: Final = Gauge("fleetlog_build_info", "What runs here; always 1", ["service", "version"])


@cache
def release() -> str:
    """Return which version this process runs."""
    return version("fleetlog-base")


def set_build(service: str) -> None:
    """Set the metric with the service's version."""
    _BUILD.labels(service, release()).set(1)
