"""Reading from a streaming replica while it is fit for that, and from its primary otherwise.

What a client has written is waited for on the replica, so it is there when it is read. Only a switch from the
primary back to the replica could take somebody into the past: who was told that the primary has their write
must not read from a replica that has it not. So queries wait for the replica first, and it is read from when
all queries that did not are over.
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
from ops.base.http.health import Check
from projections.tables import REVISIONS
from query_api import metrics
from query_api.freshness.waiting import ProjectionProgress, Projections
from query_api.reading.source import Source

LOOK_SECONDS: Final = 0.5
POLL_SECONDS: Final = 0.01
"""Who waits for the replica looks so often: nobody signals when it has come further."""
LONGEST_LAG_SECONDS: Final = 10.0
SETTLE_SECONDS: Final = 30.0
"""Longer than any query takes from its wait to its read."""

T = TypeVar("T")

logger = structlog.get_logger()


@dataclass(frozen=True)
class _Beside:
    """A source that reads as a function says."""

    _read: Callable[[Callable[[BoundedConnection], Awaitable[Any]], float], Awaitable[Any]]

    async def read(self, read: Callable[[BoundedConnection], Awaitable[T]], *, patience: float = 5.0) -> T:
        """See `Source.read`."""
        found: T = await self._read(read, patience)
        return found


class Replica:
    """A replica, beside its primary.

    Attributes:
        fault: why it is not fit to be read from; None: it is.
    """

    def __init__(
        self,
        primary: Pool,
        replica: Pool,
        *,
        longest_lag_seconds: float = LONGEST_LAG_SECONDS,
        settle_seconds: float = SETTLE_SECONDS,
    ) -> None:
        """Prepare to read; `run` says whether the replica is fit.

        Args:
            primary: connections to the primary.
            replica: connections to the replica.
            longest_lag_seconds: with which it is fit.
            settle_seconds: for how long it must have been fit before it is read from.
        """
        self.fault: str | None = "nobody has looked at it yet"
        self._primary, self._replica = primary, replica
        self._here, self._there = Projections(primary), Projections(replica)
        self._longest_lag_seconds = longest_lag_seconds
        self._settle_seconds = settle_seconds
        self._fit_since = 0.0
        self._mark = (0.0, 0)
        """A head of the log that the replica has not reached yet, and when the primary had it."""

    async def read(self, read: Callable[[BoundedConnection], Awaitable[T]], *, patience: float = 5.0) -> T:
        """Read from whichever is fit; see `ops.base.database.pools.read_with`."""
        return await self._read(self._primary, self._replica, read, patience, busy=(QueryCanceled,))

    def over(self, primary: Pool, replica: Pool) -> Source:
        """Return what reads over other connections in the same way; that all are in use is no fault of it."""
        return _Beside(
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
        if self.fault is None and time.monotonic() - self._fit_since >= self._settle_seconds:
            try:
                return await replica.read(read, patience=0)
            except psycopg.errors.SerializationFailure:
                pass  # what it replays has cancelled the statement: the next one may go well
            except busy:
                raise
            except (psycopg.OperationalError, PoolTimeout) as error:
                self._tell(f"it does not answer ({type(error).__name__})")
        return await primary.read(read, patience=patience)

    async def progress(self, projection: str) -> ProjectionProgress:
        """Return how far a projection is where queries are to wait for it; log and head are the primary's."""
        here = await self._here.progress(projection)
        if self.fault is not None:
            return here
        try:
            there = await self._there.progress(projection)
        except (psycopg.OperationalError, PoolTimeout) as error:
            self._tell(f"it does not answer ({type(error).__name__})")
            return here
        return replace(here, position=there.position if there.log_id == here.log_id else 0)

    async def run(self) -> None:
        """Compare it with its primary, for ever; cancel it to end it."""
        while True:
            try:
                there = await self._there.progress(REVISIONS.name)
            except (psycopg.Error, PoolTimeout) as error:
                self._tell(f"it does not answer ({type(error).__name__})")
            else:
                try:
                    # After the replica: what it holds by now, its primary must have had.
                    self._compare(await self._here.progress(REVISIONS.name), there)
                except (psycopg.Error, PoolTimeout) as error:
                    logger.warning("primary_does_not_answer", error=type(error).__name__)
            await asyncio.sleep(LOOK_SECONDS)

    def check(self) -> Check:
        """Return it as a line of `/readyz`: without it the product does its work."""
        return Check(ok=True, degraded=self.fault is not None, detail=self.fault)

    def _compare(self, here: ProjectionProgress, there: ProjectionProgress) -> None:
        metrics.REPLICA_LAG_EVENTS.set(max(0, here.head - there.head))
        marked, head = self._mark
        if there.head >= head or there.log_id != here.log_id:
            self._mark = marked, head = (time.monotonic(), here.head)
        waited = time.monotonic() - marked
        if there.log_id != here.log_id:
            self._tell("it holds another log")
        elif there.head > here.head:
            self._tell("it holds more than its primary")
        elif waited > self._longest_lag_seconds:
            self._tell(f"it is {waited:.0f} s behind")
        else:
            self._tell(None)

    def _tell(self, fault: str | None) -> None:
        if fault is None and self.fault is not None:
            self._fit_since = time.monotonic()
            logger.info("replica_fit", former=self.fault)
        elif fault is not None and self.fault is None:
            logger.warning("replica_unfit", reason=fault)
        self.fault = fault
        metrics.REPLICA_UNFIT.set(fault is not None)
