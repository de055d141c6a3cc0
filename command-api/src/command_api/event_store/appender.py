"""Group commit: one writer per process appends for all waiting commands, so that they share a commit."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import psycopg
import structlog

from command_api import metrics
from command_api.event_store.records import (
    Append,
    Appended,
    ClockJumped,
    Decided,
    LogUnavailable,
    VersionConflict,
)
from command_api.event_store.transaction import AppendResult, append_together, notify, open_session
from ops.base import tracing
from ops.base.clock import STEADY_CLOCK
from ops.base.failpoints import failpoint
from ops.base.prepared import PreparedSession

BATCH_COMMANDS: Final = 256
BATCH_BYTES: Final = 256 * 1024  # one statement carries them all; a single larger command still goes alone
MAX_WAITING: Final = 5_000
RETRY_SECONDS: Final = 0.1
LOOK_SECONDS: Final = 10.0
"""While nobody appends anything, it is tried so often whether anybody could."""

logger = structlog.get_logger()


@dataclass
class _Waiting:
    append: Append
    deadline: float
    outcome: asyncio.Future[Appended | Decided] = field(default_factory=asyncio.Future)


class Appender:
    """Appends to the log through one connection, reconnecting as long as it takes.

    Attributes:
        clock_jumped: why the time cannot be recorded, so that nothing is appended; None: it could, when last
            tried.
    """

    def __init__(
        self, dsn: str, *, patience: float = 10.0, clock: Callable[[], datetime] = STEADY_CLOCK.now
    ) -> None:
        """Describe the appender; `run` makes it work.

        Args:
            dsn: the log's database.
            patience: seconds after which a command that could not be appended is given up; where the server
                falls silent then, one answer's time later.
            clock: what it takes the time for, which the database's clock is held against.
        """
        self.clock_jumped: str | None = None
        self._clock = clock
        self._dsn = dsn
        self._patience = patience
        self._waiting: deque[_Waiting] = deque()
        self._in_flight: list[_Waiting] = []
        self._wake = asyncio.Event()
        self._session: PreparedSession | None = None

    async def append(self, append: Append) -> Appended | Decided:
        """See `command_api.commands.log.Log.append`; what else is waiting is appended together with it."""
        if len(self._waiting) >= MAX_WAITING:
            raise LogUnavailable("too many commands are waiting")
        waiting = _Waiting(append, time.monotonic() + self._patience)
        self._waiting.append(waiting)
        self._wake.set()
        with metrics.APPEND_SECONDS.time(), tracing.span("append") as span:
            outcome = await waiting.outcome
            for event in outcome.events[-1:]:
                span.set_attribute("fleetlog.position", event.position)
            return outcome

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the writer within the context; at its end, what is waiting is given up."""
        writer = asyncio.create_task(self._write_for_ever(), name="appender")
        try:
            yield
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            await self._disconnect()
            for waiting in (*self._in_flight, *self._waiting):
                _fail(waiting, LogUnavailable("the service is stopping"))

    async def _write_for_ever(self) -> None:
        while True:
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                await self._look()
            self._wake.clear()
            while self._waiting:
                self._in_flight = _not_overdue(self._next_batch())
                await self._write(self._in_flight)

    async def _look(self) -> None:
        """Append nothing: whether the time can be recorded is told before somebody wants to."""
        try:
            await self._append_together([])
        except (ClockJumped, psycopg.Error):  # one has been told, of the other those tell who have to wait
            await self._disconnect()

    def _next_batch(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        size = 0
        while self._waiting and len(batch) < BATCH_COMMANDS:
            size += self._waiting[0].append.size
            if batch and size > BATCH_BYTES:
                break
            waiting = self._waiting.popleft()
            if not waiting.outcome.cancelled():
                batch.append(waiting)
        return batch

    async def _write(self, batch: list[_Waiting]) -> None:
        while batch:
            try:
                await self._commit(batch)
            except psycopg.OperationalError as error:
                logger.warning("append_retried", error=type(error).__name__, commands=len(batch))
                await self._disconnect()
                batch = _not_overdue(batch)
                await asyncio.sleep(RETRY_SECONDS)
            except ClockJumped as error:
                for waiting in batch:
                    _fail(waiting, error)
                return
            except Exception as error:
                logger.exception("append_failed", commands=len(batch))
                await self._disconnect()
                if len(batch) == 1:
                    _fail(batch[0], error)
                else:  # one command's fault must not be its neighbours'
                    for waiting in batch:
                        await self._write([waiting])
                return
            else:
                return

    async def _commit(self, batch: list[_Waiting]) -> None:
        await self._connected()
        with metrics.COMMIT_SECONDS.time():
            outcomes = await self._append_together([waiting.append for waiting in batch])
        failpoint("command.committed")
        metrics.BATCH_SIZE.observe(len(batch))
        for waiting, outcome in zip(batch, outcomes, strict=True):
            _tell(waiting, outcome)
        # After the commit: within it, NOTIFY would take a lock that all databases of the server share.
        if head := _last_position(outcomes):
            await notify(await self._connected(), head)

    async def _append_together(self, batch: list[Append]) -> list[AppendResult]:
        try:
            outcomes = await append_together(await self._connected(), batch, clock=self._clock())
        except ClockJumped as error:
            logger.error("clock_jumped", reason=str(error), commands=len(batch))  # noqa: TRY400 - that is all
            self.clock_jumped = str(error)
            metrics.CLOCK_JUMPED.set(1)
            raise
        self.clock_jumped = None
        metrics.CLOCK_JUMPED.set(0)
        return outcomes

    async def _connected(self) -> PreparedSession:
        if self._session is None or self._session.closed:
            self._session = await open_session(self._dsn)
        return self._session

    async def _disconnect(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


def _last_position(outcomes: Sequence[AppendResult]) -> int:
    appended = (outcome.events for outcome in outcomes if not isinstance(outcome, VersionConflict))
    return max((event.position for events in appended for event in events), default=0)


def _tell(waiting: _Waiting, outcome: AppendResult) -> None:
    if waiting.outcome.done():
        return
    if isinstance(outcome, VersionConflict):
        waiting.outcome.set_exception(outcome)
    else:
        waiting.outcome.set_result(outcome)


def _fail(waiting: _Waiting, error: Exception) -> None:
    if not waiting.outcome.done():
        waiting.outcome.set_exception(error)


def _not_overdue(batch: list[_Waiting]) -> list[_Waiting]:
    now = time.monotonic()
    for waiting in batch:
        if waiting.deadline <= now:
            _fail(waiting, LogUnavailable("the log cannot be reached"))
    return [waiting for waiting in batch if not waiting.outcome.done()]
