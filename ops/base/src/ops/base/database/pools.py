"""A pool of PostgreSQL connections that recovers by itself, and a listener that reconnects."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

import psycopg
import structlog
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import REGISTRY, Collector
from psycopg_pool import AsyncConnectionPool, PoolTimeout, TooManyRequests

from ops.base.database.connection import ANSWER_SECONDS, KEEPALIVE, BoundedConnection, ServerSilent, connect

logger = structlog.get_logger()

T = TypeVar("T")

STATEMENT_SECONDS: Final = 4
"""Statement time-out on the server. A longer silence means that the server is unreachable."""
HEARTBEAT_SECONDS: Final = 2.0
_FINAL: Final = (psycopg.errors.QueryCanceled, TooManyRequests)


_METRICS: Final[tuple[tuple[Any, str, str, Callable[[Mapping[str, int]], float]], ...]] = (
    (GaugeMetricFamily, "size", "Maximum connections of the pool", lambda of: of["pool_max"]),
    (GaugeMetricFamily, "in_use", "Connections in use", lambda of: of["pool_size"] - of["pool_available"]),
    (GaugeMetricFamily, "waiting", "Requests that wait for a connection", lambda of: of["requests_waiting"]),
    (
        *(CounterMetricFamily, "wait_seconds", "Time spent waiting for a connection"),
        lambda of: of["requests_wait_ms"] / 1000,
    ),
    (
        *(CounterMetricFamily, "timeouts", "Requests that timed out waiting for a connection"),
        lambda of: of["requests_errors"],
    ),
)


class _PoolCollector(Collector):
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
        reported: dict[str, Counter[str]] = {}
        for pool, server in self._servers.items():
            if not pool.closed:
                reported.setdefault(server, Counter()).update(pool.get_stats())
        for family, name, description, value in _METRICS:
            metric = family(f"fleetlog_database_pool_{name}", description, labels=["server"])
            for server, total in reported.items():
                metric.add_metric([server], value(total))
            yield metric


_POOLS: Final = _PoolCollector()
REGISTRY.register(_POOLS)


class Pool(AsyncConnectionPool[BoundedConnection]):
    """A pool of autocommit connections that replaces all of them when one has proved dead.

    It is open within its context, and does not wait for the server. Read through `read`, which retries after
    server restarts and network failures.
    """

    def __init__(
        self,
        dsn: str,
        *,
        size: int,
        answer_seconds: float = ANSWER_SECONDS,
        wait_seconds: float = 1.0,
        most_waiting: int = 0,
        settings: Mapping[str, str] = MappingProxyType({}),
        server: str = "primary",
        on_reconnect: Callable[[BoundedConnection], Awaitable[None]] | None = None,
    ) -> None:
        """Create a pool.

        Args:
            wait_seconds: time-out for a free connection, before `read` retries.
            most_waiting: maximum number of waiting requests; further ones fail at once. 0: unlimited.
            on_reconnect: called with each connection that replaces another, before its first use.
        """
        super().__init__(
            dsn,
            connection_class=BoundedConnection,
            configure=self._prepare,
            kwargs={"autocommit": True, **KEEPALIVE},
            min_size=size,
            max_size=size,
            # The pool's own retries back off exponentially by whole seconds; a new request does not.
            timeout=wait_seconds,
            max_waiting=most_waiting,
            # A waiting request makes no new one, so the pool must retry as long as requests wait.
            reconnect_timeout=max(1.0, wait_seconds),
            open=False,
        )
        self._answer_seconds = answer_seconds
        self._settings = {"statement_timeout": f"{STATEMENT_SECONDS}s", **settings}
        self._on_reconnect = on_reconnect
        self._prepared = 0
        self._replaced_at = 0.0
        _POOLS.watch(self, server)

    async def read(self, read: Callable[[BoundedConnection], Awaitable[T]], *, patience: float = 5.0) -> T:
        """Read over a connection, and retry over another one if the connection is lost.

        If the server did not answer, one retry over a new connection follows even after the deadline, so the
        call takes at most a little more than twice the time-out of an answer.

        Args:
            read: reads, and must not write, because it may be called several times.
            patience: seconds after which the last error is raised.

        Raises:
            psycopg.OperationalError: the server cannot be reached.
            psycopg_pool.PoolTimeout: all connections are in use, or the server cannot be reached.
            psycopg_pool.TooManyRequests: too many requests wait already.
        """
        deadline = time.monotonic() + patience
        silences = 0
        while True:
            began = time.monotonic()
            try:
                connection = await self.getconn()
                try:
                    return await read(connection)
                finally:
                    await self.putconn(connection)
            except ServerSilent:
                # The other connections are probably dead too; detecting each would take minutes.
                await self.replace_those_before(began)
                silences += 1
                if silences > 1 and time.monotonic() > deadline:
                    raise
            except (psycopg.OperationalError, PoolTimeout) as error:
                if isinstance(error, _FINAL) or time.monotonic() > deadline:
                    raise
            await asyncio.sleep(0.02)

    async def replace_those_before(self, moment: float) -> None:
        """Replace all connections, unless they were replaced after `moment` of the monotonic clock."""
        if self._replaced_at < moment:
            self._replaced_at = time.monotonic()
            await self.drain()

    async def _prepare(self, connection: BoundedConnection) -> None:
        connection.answer_seconds = self._answer_seconds
        await connection.execute(
            "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS set (name, value)",
            (list(self._settings), list(self._settings.values())),
        )
        self._prepared += 1  # the pool has as many from its start, so any further one replaces another
        if self._on_reconnect is not None and self._prepared > self.max_size:
            await self._on_reconnect(connection)


async def ping(connection: BoundedConnection) -> Callable[[], None]:
    """Check that the server answers; see `listen`."""
    await connection.execute("SELECT 1")
    return lambda: None


async def listen(
    dsn: str,
    channel: str,
    on_notify: Callable[[str], None],
    *,
    on_lost: Callable[[], None] = lambda: None,
    look: Callable[[BoundedConnection], Awaitable[Callable[[], None]]] = ping,
    retry_seconds: float = 0.5,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
    answer_seconds: float = ANSWER_SECONDS,
) -> None:
    """Call `on_notify` with the payload of each notification on a channel, until cancelled.

    After each (re)connection the payload is empty, because notifications may have been missed.

    Args:
        on_notify: called in the event loop; must not block.
        on_lost: called after a connection was lost, before the reconnection.
        look: queries the server over the same connection, at first and at each heartbeat, and returns a
            function that is called after `on_notify` was called for all notifications before the answer.
    """
    while True:
        try:
            async with await connect(dsn, autocommit=True, answer_seconds=answer_seconds) as connection:
                await connection.execute(psycopg.sql.SQL("LISTEN {}").format(psycopg.sql.Identifier(channel)))
                on_notify("")
                while True:
                    answered = await look(connection)
                    await _notify(connection, on_notify, seconds=0)  # notifications before the answer
                    answered()
                    await _notify(connection, on_notify, seconds=heartbeat_seconds)
        except psycopg.OperationalError as error:
            logger.warning("listener_lost", channel=channel, error=type(error).__name__)
        finally:
            on_lost()
        await asyncio.sleep(retry_seconds)


async def _notify(connection: BoundedConnection, on_notify: Callable[[str], None], *, seconds: float) -> None:
    async for notification in connection.notifies(timeout=seconds):
        on_notify(notification.payload)
