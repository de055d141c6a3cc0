"""The worker process: runs projections and other workers in one event loop."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import partial
from typing import Any, Final, Never

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg_pool import PoolTimeout

from ops.base.database.pools import Pool
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.http.health import ReadinessCheck
from ops.base.process.tasks import Work, running
from projections import metrics
from projections.engine.projection import Projection
from projections.engine.quarantine import QuarantinedStream, read_quarantined
from projections.entity_tables.search_terms import refill
from projections.leadership.sessions import open_session
from projections.progress import searches
from projections.progress.lag import Lag
from projections.progress.observation import OBSERVE_SECONDS, keep_observing
from projections.workers.erasure.eraser import Eraser
from projections.workers.lease import Lease
from projections.workers.projector import Projector
from projections.workers.sealing.sealer import Sealer
from read_model.status import Status, read_statuses
from read_model.tables import EntityTable, ReadTable

logger = structlog.get_logger()

CHECK_SECONDS: Final = 1.0
FORGET_SECONDS: Final = 600.0
AT_ONCE: Final = 1_000
"""Rows deleted in one transaction, which limits its duration."""
NAMED_STREAMS: Final = 20
"""Quarantined streams that readiness names for each projection; all are counted."""


class Worker:
    """Runs projections and other workers, and observes their progress.

    Args:
        sealer: None if this worker does not seal the log.
        eraser: None if this worker does not execute erasures.
        others: other workers, which use the connection pool.
    """

    def __init__(
        self,
        projections: Sequence[Projection],
        dsn: str,
        sealer: Sealer | None = None,
        eraser: Eraser | None = None,
        *others: Callable[[Pool], Coroutine[Any, Any, Never]],
    ) -> None:
        self._dsn = dsn
        self._sealer = sealer
        self._eraser = eraser
        self._others = others
        self._projector = Projector(projections, dsn)
        self._lags = defaultdict[str, Lag](Lag)
        self._pool: Pool
        self._quarantined_before: dict[str, int] = {}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work while the context lasts; another worker continues after the last commit."""
        async with Pool(self._dsn, size=1) as self._pool:
            workers = (self._projector, self._sealer, self._eraser)
            work: list[Work] = [one.run for one in workers if one is not None]
            work += [partial(one, self._pool) for one in self._others]
            tables = [lease.projection.table for lease in self._projector.leases]
            work.append(partial(keep_searchable, self._pool, self._dsn, tables))
            work.append(partial(keep_forgetting_outcomes, self._pool))
            async with running(*work, partial(keep_observing, self._observe)):
                yield

    def defers_restart(self) -> bool:
        """Whether the process must not restart yet, because it alone knows the texts of a running erasure."""
        return self._eraser is not None and self._eraser.knows_texts

    async def readiness(self) -> dict[str, ReadinessCheck]:
        """Return a check for each projection, for sealing and for erasures."""
        workers = {"sealing": self._sealer, "erasing": self._eraser}
        return {name: one.readiness() for name, one in workers.items() if one is not None} | {
            status.projection: ReadinessCheck(
                ok=lease.state.ok,
                degraded=status.quarantined > 0 or not status.searchable,
                detail={
                    **asdict(lease.state),
                    **asdict(status),
                    "lag_seconds": waited,
                    "quarantined_streams": await self._quarantined(lease) if status.quarantined else [],
                },
            )
            for lease, (status, waited) in zip(self._projector.leases, await self._observe(), strict=True)
        }

    async def _quarantined(self, lease: Lease) -> list[dict[str, Any]]:
        async def read(connection: AsyncConnection) -> list[QuarantinedStream]:
            return await read_quarantined(connection, lease.projection.table, limit=NAMED_STREAMS)

        return [stream.as_json() for stream in await self._pool.read(read, patience=OBSERVE_SECONDS)]

    async def _observe(self) -> list[tuple[Status, float]]:
        """Return the status of each projection, and its lag in seconds."""
        tables = [lease.projection.table for lease in self._projector.leases]
        statuses = await self._pool.read(
            lambda connection: read_statuses(connection, tables), patience=OBSERVE_SECONDS
        )
        observed = []
        for status in statuses:
            lag = self._lags[status.projection]
            waited = lag.seconds(position=status.position, head=status.head)
            observed.append((status, waited))
            metrics.POSITION.labels(status.projection).set(status.position)
            metrics.LAG_EVENTS.labels(status.projection).set(status.lag_events)
            metrics.LAG_SECONDS.labels(status.projection).set(waited)
            metrics.QUARANTINED.labels(status.projection).set(status.quarantined)
            released = self._quarantined_before.get(status.projection, 0) - status.quarantined
            if released > 0:
                logger.info(
                    "projection_streams_released",
                    projection=status.projection,
                    streams=released,
                    still_quarantined=status.quarantined,
                )
            self._quarantined_before[status.projection] = status.quarantined
        return observed


async def keep_searchable(pool: Pool, dsn: str, tables: Iterable[ReadTable]) -> Never:
    """Refill the search terms of tables whenever they are lost, until cancelled.

    Args:
        pool: for the checks.
        dsn: where to connect, with the projection worker's rights.
        tables: the tables; only entity tables have search terms.
    """
    searched = [table for table in tables if isinstance(table, EntityTable)]
    while True:
        try:
            due = await pool.read(
                lambda connection: searches.unverified(connection, searched), patience=CHECK_SECONDS
            )
            for table in due:
                async with open_session(dsn) as connection:
                    await refill(connection, table)
        except (psycopg.Error, PoolTimeout, KeysUnavailable) as error:
            logger.info("search_refill_delayed", error=type(error).__name__)
        await asyncio.sleep(CHECK_SECONDS)


async def keep_forgetting_outcomes(pool: Pool) -> Never:
    """Delete old outcomes every ten minutes, until cancelled; several workers skip each other's rows."""
    while True:
        try:
            while await pool.read(_forget) == AT_ONCE:
                pass
        except (psycopg.Error, PoolTimeout) as error:
            logger.warning("outcomes_not_forgotten", error=type(error).__name__)
        await asyncio.sleep(FORGET_SECONDS)


async def _forget(connection: AsyncConnection) -> int:
    cursor = await connection.execute("SELECT log.forget_outcomes(%s)", (AT_ONCE,))
    row = await cursor.fetchone()
    return int(row[0]) if row else 0
