"""Reads from a streaming replica while it is usable, otherwise from its primary.

Queries wait for the client's last write on the server that they read from. Only a switch from the primary
back to the replica could show a client an older state: a query that has waited on the primary must not read
from a replica without the write. So when the replica becomes usable, queries first wait on the replica, and
read from it only after `SETTLE_SECONDS`, when all queries that waited on the primary have ended.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import psycopg
import structlog
from psycopg.errors import QueryCanceled
from psycopg_pool import PoolTimeout, TooManyRequests

from ops.base.database.connection import BoundedConnection
from ops.base.database.pools import Pool
from ops.base.http.health import ReadinessCheck
from query_api import metrics
from query_api.database.source import Source
from query_api.freshness.read_your_writes import ProjectionProgress, Projections
from read_model.tables import REVISIONS

CHECK_SECONDS: Final = 0.5
POLL_SECONDS: Final = 0.01
"""Interval at which a waiting query polls the replica, which sends no notifications."""
LONGEST_LAG_SECONDS: Final = 10.0
SETTLE_SECONDS: Final = 30.0
"""Longer than any query takes from its wait to its read."""

T = TypeVar("T")

logger = structlog.get_logger()


@dataclass(frozen=True)
class _Source:
    """A source that delegates to a function."""

    _read: Callable[[Callable[[BoundedConnection], Awaitable[Any]], float], Awaitable[Any]]

    async def read(self, read: Callable[[BoundedConnection], Awaitable[T]], *, patience: float = 5.0) -> T:
        """Read over a connection of either server."""
        found: T = await self._read(read, patience)
        return found


class Replica:
    """A replica and its primary.

    Attributes:
        fault: why the replica cannot be used; None: it can.
    """

    def __init__(
        self,
        primary: Pool,
        replica: Pool,
        *,
        longest_lag_seconds: float = LONGEST_LAG_SECONDS,
        settle_seconds: float = SETTLE_SECONDS,
    ) -> None:
        """Set the connections; `run` decides whether the replica is usable."""
        self.fault: str | None = "it has not been checked yet"
        self._primary, self._replica = primary, replica
        self._here, self._there = Projections(primary), Projections(replica)
        self._longest_lag_seconds = longest_lag_seconds
        self._settle_seconds = settle_seconds
        self._usable_since = 0.0
        self._mark = (0.0, 0)
        """A head of the log that the replica has not reached yet, and when the primary had it."""

    async def read(self, read: Callable[[BoundedConnection], Awaitable[T]], *, patience: float = 5.0) -> T:
        """Read from the replica or the primary; see `ops.base.database.pools.Pool.read`."""
        return await self._read(self._primary, self._replica, read, patience, busy=(QueryCanceled,))

    def over(self, primary: Pool, replica: Pool) -> Source:
        """Return a source over other connections; an exhausted pool does not make the replica unusable."""
        return _Source(
            lambda read, patience: self._read(
                primary, replica, read, patience, busy=(QueryCanceled, PoolTimeout, TooManyRequests)
            )
        )

    async def _read(
        self,
        primary: Pool,
        replica: Pool,
        read: Callable[[BoundedConnection], Awaitable[T]],
        patience: float,
        *,
        busy: tuple[type[Exception], ...],
    ) -> T:
        if self.fault is None and time.monotonic() - self._usable_since >= self._settle_seconds:
            try:
                return await replica.read(read, patience=0)
            except psycopg.errors.SerializationFailure:
                pass  # cancelled by a replayed change; the next statement may succeed
            except busy:
                raise
            except (psycopg.OperationalError, PoolTimeout) as error:
                self._set_fault(_no_answer(error))
        return await primary.read(read, patience=patience)

    async def progress(self, projection: str) -> ProjectionProgress:
        """Return a projection's position where queries must wait for it, with the primary's log and head."""
        here = await self._here.progress(projection)
        if self.fault is not None:
            return here
        try:
            there = await self._there.progress(projection)
        except (psycopg.OperationalError, PoolTimeout) as error:
            self._set_fault(_no_answer(error))
            return here
        return replace(here, position=there.position if there.log_id == here.log_id else 0)

    async def run(self) -> None:
        """Compare the replica with its primary until cancelled."""
        while True:
            try:
                there = await self._there.progress(REVISIONS.name)
            except (psycopg.Error, PoolTimeout) as error:
                self._set_fault(_no_answer(error))
            else:
                try:
                    # The primary is read second, so it cannot have less than the replica had.
                    self._compare(await self._here.progress(REVISIONS.name), there)
                except (psycopg.Error, PoolTimeout) as error:
                    logger.warning("primary_does_not_answer", error=type(error).__name__)
            await asyncio.sleep(CHECK_SECONDS)

    def check(self) -> ReadinessCheck:
        """Return the readiness check; without a usable replica, the service is degraded but ready."""
        return ReadinessCheck(ok=True, degraded=self.fault is not None, detail=self.fault)

    def _compare(self, here: ProjectionProgress, there: ProjectionProgress) -> None:
        metrics.REPLICA_LAG_EVENTS.set(max(0, here.head - there.head))
        marked, head = self._mark
        if there.head >= head or there.log_id != here.log_id:
            self._mark = marked, head = (time.monotonic(), here.head)
        waited = time.monotonic() - marked
        if there.log_id != here.log_id:
            self._set_fault("it holds another log")
        elif there.head > here.head:
            self._set_fault("it holds more than its primary")
        elif waited > self._longest_lag_seconds:
            self._set_fault(f"it is {waited:.0f} s behind")
        else:
            self._set_fault(None)

    def _set_fault(self, fault: str | None) -> None:
        if fault is None and self.fault is not None:
            self._usable_since = time.monotonic()
            logger.info("replica_fit", former=self.fault)
        elif fault is not None and self.fault is None:
            logger.warning("replica_unfit", reason=fault)
        self.fault = fault
        metrics.REPLICA_UNFIT.set(fault is not None)


def _no_answer(error: Exception) -> str:
    return f"it does not answer ({type(error).__name__})"
