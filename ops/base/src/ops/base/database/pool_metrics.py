"""How the database pools of this process are used, read from them only when Prometheus asks."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final
from weakref import WeakKeyDictionary

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import REGISTRY, Collector
from psycopg_pool import AsyncConnectionPool


class PoolCollector(Collector):
    """Tells of all pools of the process, by the server that they lead to."""

    def __init__(self) -> None:
        self._servers: WeakKeyDictionary[AsyncConnectionPool[Any], str] = WeakKeyDictionary()

    def watch(self, pool: AsyncConnectionPool[Any], server: str) -> None:
        """Tell of a pool, for as long as it is open.

        Args:
            pool: the pool.
            server: what it leads to: `primary` or `replica`, with `-search` where only long reads use it.
        """
        self._servers[pool] = server

    def collect(self) -> Iterator[Metric]:
        """Read what there is to tell; see `Collector`."""
        size = GaugeMetricFamily(
            "fleetlog_database_pool_size", "Connections that the pool may hold", labels=["server"]
        )
        in_use = GaugeMetricFamily(
            "fleetlog_database_pool_in_use", "Connections that work for somebody", labels=["server"]
        )
        waiting = GaugeMetricFamily(
            "fleetlog_database_pool_waiting", "How many wait for a connection", labels=["server"]
        )
        waited = CounterMetricFamily(
            "fleetlog_database_pool_wait_seconds", "Time spent waiting for a connection", labels=["server"]
        )
        timeouts = CounterMetricFamily(
            "fleetlog_database_pool_timeouts",
            "Times that nobody gave a connection back in time",
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
