"""Group commit: one writer per process appends for all waiting commands, so that they share a commit."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import psycopg
import structlog
from psycopg.errors import DiskFull

from command_api import metrics
from command_api.event_store.records import (
    Append,
    Appended,
    ClockJumped,
    Decided,
    LogUnavailable,
    VersionConflict,
)
from command_api.event_store.transaction import (
    AppendResult,
    append_together,
    notify,
    open_session,
    try_to_write,
)
from ops.base.clock import STEADY_CLOCK
from ops.base.database.prepared import PreparedSession
from ops.base.observability import tracing
from ops.base.process.failpoints import failpoint
from ops.base.process.tasks import supervised

BATCH_COMMANDS: Final = 256
BATCH_BYTES: Final = 256 * 1024  # one statement carries them all; a single larger command still goes alone
MAX_WAITING: Final = 5_000
RETRY_SECONDS: Final = 0.1
LOOK_SECONDS: Final = 10.0
"""While nobody appends anything, it is tried so often whether anybody could."""
RETRY_LOOK_SECONDS: Final = 1.0
"""The same, after the database was lost."""

logger = structlog.get_logger()


@dataclass
class _Waiting:
    append: Append
    outcome: asyncio.Future[Appended | Decided] = field(default_factory=asyncio.Future)


class Appender:
    """Appends to the log through one connection, reconnecting as long as it takes.

    Attributes:
        error: the type of the error with which the last attempt to append failed; None: it succeeded.
        clock_jumped: why the time cannot be recorded, so that nothing is appended; None: it could, when last
            tried.
    """

    def __init__(
        self, dsn: str, *, patience: float = 10.0, clock: Callable[[], datetime] = STEADY_CLOCK.now
    ) -> None:
        """Describe the appender; `run` makes it work.

        Args:
            dsn: the log's database.
            patience: seconds after which a command that is not known to be appended is given up, whatever the
                writer is doing.
            clock: what it takes the time for, which the database's clock is held against.
        """
        self.clock_jumped: str | None = None
        self.error: str | None = None
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
        waiting = _Waiting(append)
        self._waiting.append(waiting)
        self._wake.set()
        with metrics.APPEND_SECONDS.time(), tracing.span("append") as span:
            try:
                async with asyncio.timeout(self._patience):
                    outcome = (
                        await waiting.outcome
                    )  # which the timeout cancels: the writer leaves it out then
            except TimeoutError:
                raise LogUnavailable("the log cannot be reached") from None
            for event in outcome.events[-1:]:
                span.set_attribute("fleetlog.position", event.position)
            return outcome

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the writer within the context; at its end, what is waiting is given up."""
        writer = asyncio.create_task(supervised(self._write_for_ever), name="appender")
        try:
            yield
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            await self._disconnect()
            for waiting in (*self._in_flight, *self._waiting):
                _fail(waiting, LogUnavailable("the service is stopping"))

    async def _write_for_ever(self) -> None:
        for waiting in self._in_flight:
            _fail(waiting, LogUnavailable("the writer has failed"))
        while True:
            try:
                # A page may fit on a disk on which an event did not: that error stands for a while.
                soon = self.error not in (None, DiskFull.__name__)
                async with asyncio.timeout(RETRY_LOOK_SECONDS if soon else LOOK_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                await self._look()
            self._wake.clear()
            while self._waiting:
                self._in_flight = self._next_batch()
                await self._write(self._in_flight)

    async def _look(self) -> None:
        """Append nothing, to learn before the next command whether something could be appended."""
        try:
            await self._append_together([])
            if self.error is not None:  # appending nothing writes nothing, and succeeds on a full disk
                await try_to_write(await self._connected())
            self.error = None
        except ClockJumped:
            await self._disconnect()
        except psycopg.Error as error:
            self.error = type(error).__name__
            await self._disconnect()

    def _next_batch(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        size = 0
        while self._waiting and len(batch) < BATCH_COMMANDS:
            size += self._waiting[0].append.size
            if batch and size > BATCH_BYTES:
                break
            batch.append(self._waiting.popleft())
        return _awaited(batch)

    async def _write(self, batch: list[_Waiting]) -> None:
        while batch:
            try:
                await self._commit(batch)
            except psycopg.OperationalError as error:
                self.error = type(error).__name__
                logger.warning("append_retried", error=self.error, commands=len(batch))
                await self._disconnect()
                await asyncio.sleep(RETRY_SECONDS)
                batch = _awaited(batch)
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
        self.error = None
        failpoint("command.committed")
        metrics.BATCH_SIZE.observe(len(batch))
        for waiting, outcome in zip(batch, outcomes, strict=True):
            _tell(waiting, outcome)
        if head := _last_position(outcomes):
            # The commands continue in the next turn of the loop and send their answers; then NOTIFY, which
            # wakes the projections. Within the transaction it would take a lock of the whole server.
            await asyncio.sleep(0)
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


def _awaited(batch: list[_Waiting]) -> list[_Waiting]:
    """Return the commands whose clients have not been answered yet."""
    return [waiting for waiting in batch if not waiting.outcome.done()]
