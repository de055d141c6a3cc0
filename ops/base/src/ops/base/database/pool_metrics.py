"""Metrics of this process's connection pools, read at each scrape."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final
from weakref import WeakKeyDictionary

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import REGISTRY, Collector
from psycopg_pool import AsyncConnectionPool


class PoolCollector(Collector):
    """Collects the pools of the process, by server."""

    def __init__(self) -> None:
        self._servers: WeakKeyDictionary[AsyncConnectionPool[Any], str] = WeakKeyDictionary()

    def watch(self, pool: AsyncConnectionPool[Any], server: str) -> None:
        """Add a pool until it is closed.

        Args:
            server: `primary` or `replica`, with the suffix `-search` for a pool of long reads.
        """
        self._servers[pool] = server

    def collect(self) -> Iterator[Metric]:
        """See `Collector`."""
        size = GaugeMetricFamily(
            "fleetlog_database_pool_size", "Maximum connections of the pool", labels=["server"]
        )
        in_use = GaugeMetricFamily("fleetlog_database_pool_in_use", "Connections in use", labels=["server"])
        waiting = GaugeMetricFamily(
            "fleetlog_database_pool_waiting", "Requests that wait for a connection", labels=["server"]
        )
        waited = CounterMetricFamily(
            "fleetlog_database_pool_wait_seconds", "Time spent waiting for a connection", labels=["server"]
        )
        timeouts = CounterMetricFamily(
            "fleetlog_database_pool_timeouts",
            "Requests that timed out waiting for a connection",
            labels=["server"],
        )
        reported: dict[str, Counter[str]] = {}
        for pool, server in self._servers.items():
            if not pool.closed:
                reported.setdefault(server, Counter()).update(pool.get_stats())
        for server, total in reported.items():
            size.add_metric([server], total["pool_max"])
            in_use.add_metric([server], total["pool_size"] - total["pool_available"])
            waiting.add_metric([server], total["requests_waiting"])
            waited.add_metric([server], total["requests_wait_ms"] / 1000)
            timeouts.add_metric([server], total["requests_errors"])
        yield from (size, in_use, waiting, waited, timeouts)


POOLS: Final = PoolCollector()
REGISTRY.register(POOLS)
