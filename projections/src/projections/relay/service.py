"""The relay's process: publishes to Kafka, and serves health and metrics."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import dict_row

from ops.base.database.pools import Pool
from ops.base.http.health import ReadinessCheck
from ops.base.process.tasks import running
from projections.progress.lag import Lag
from projections.progress.observation import OBSERVE_SECONDS, keep_observing
from projections.relay import metrics
from projections.relay.relay import Relay
from projections.relay.settings import KafkaSettings
from read_model.public_events.envelope import TOPICS_VERSION

SLOW_SECONDS: Final = 5.0
"""Wait for a broker after which readiness reports it."""

# Before the first connection: the position in the cluster that acknowledged last.
_LAG: Final = """
SELECT
  coalesce(kept.position, 0) AS position,
  head.position AS head,
  greatest(head.position - coalesce(kept.position, 0), 0) AS lag_events,
  kept.acknowledged AS acknowledged,
  kept.rewound_from
FROM log.head
LEFT JOIN LATERAL (
  SELECT position, acknowledged, rewound_from FROM read.relay_positions
  WHERE cluster = coalesce(%(cluster)s, cluster) AND topics = %(topics)s ORDER BY acknowledged DESC LIMIT 1
) AS kept ON true
"""


class RelayService:
    """Runs the relay, and observes its lag."""

    def __init__(self, dsn: str, settings: KafkaSettings, address: str) -> None:
        self._dsn = dsn
        self._servers = settings.servers
        self._relay = Relay(dsn, settings, address)
        self._lag = Lag()
        self._pool: Pool

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Publish while the context lasts."""
        async with (
            Pool(self._dsn, size=1) as self._pool,
            running(self._relay.run, partial(keep_observing, self._observe)),
        ):
            yield

    def defers_restart(self) -> bool:
        """Whether an erasure needs no restart of this process: its memory holds no decrypted data."""
        return True

    async def readiness(self) -> dict[str, ReadinessCheck]:
        """Return the relay's state and position.

        An absent broker makes the relay degraded, not failing: the product works without the broker, and a
        restart of the relay would not help.
        """
        state = self._relay.state
        waited = self._relay.waited_seconds
        error = state.error
        if error is None and waited > SLOW_SECONDS:
            error = f"Kafka at {self._servers} has not answered for {waited:.0f} s"
        detail = {
            "role": state.role,
            "error": error,
            "cluster": self._relay.cluster,
            **await self._observe(),
        }
        return {"relay": ReadinessCheck(ok=True, degraded=error is not None, detail=detail)}

    async def _observe(self) -> dict[str, Any]:
        async def read(connection: AsyncConnection) -> dict[str, Any]:
            async with connection.cursor(row_factory=dict_row) as cursor:
                await cursor.execute(_LAG, {"cluster": self._relay.cluster, "topics": TOPICS_VERSION})
                (row,) = await cursor.fetchall()
                return row

        row = await self._pool.read(read, patience=OBSERVE_SECONDS)
        waited = self._lag.seconds(position=row["position"], head=row["head"])
        metrics.POSITION.set(row["position"])
        metrics.LAG_EVENTS.set(row["lag_events"])
        metrics.LAG_SECONDS.set(waited)
        acknowledged = row["acknowledged"] and row["acknowledged"].isoformat()
        return {**row, "lag_seconds": waited, "acknowledged": acknowledged}
