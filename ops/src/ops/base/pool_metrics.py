"""How the database pools of this process are used, read from them only when Prometheus asks."""

from collections.abc import Iterator
from typing import Any, Final
from weakref import WeakSet

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import REGISTRY, Collector
from psycopg_pool import AsyncConnectionPool


class PoolCollector(Collector):
    """Tells of all pools of the process together: a service has one."""

    def __init__(self) -> None:
        self._pools: WeakSet[AsyncConnectionPool[Any]] = WeakSet()

    def watch(self, pool: AsyncConnectionPool[Any]) -> None:
        """Tell of a pool, for as long as it is open."""
        self._pools.add(pool)

    def collect(self) -> Iterator[Metric]:
        """Read what there is to tell; see `Collector`."""
        told = [pool.get_stats() for pool in self._pools if not pool.closed]

        def total(name: str) -> int:
            return sum(stats.get(name, 0) for stats in told)

        yield GaugeMetricFamily(
            "fleetlog_database_pool_size", "Connections that the pool may hold", total("pool_max")
        )
        yield GaugeMetricFamily(
            "fleetlog_database_pool_in_use",
            "Connections that work for somebody",
            total("pool_size") - total("pool_available"),
        )
        yield GaugeMetricFamily(
            "fleetlog_database_pool_waiting", "How many wait for a connection", total("requests_waiting")
        )
        yield CounterMetricFamily(
            "fleetlog_database_pool_wait_seconds",
            "Time spent waiting for a connection",
            total("requests_wait_ms") / 1000,
        )
        yield CounterMetricFamily(
            "fleetlog_database_pool_timeouts",
            "Times that nobody gave a connection back in time",
            total("requests_errors"),
        )


POOLS: Final = PoolCollector()
REGISTRY.register(POOLS)
