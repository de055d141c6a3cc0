"""Group commit: one writer per process appends for all waiting commands, which share a transaction."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any, Final

import psycopg
import structlog
from psycopg.errors import DiskFull

from command_api import metrics
from command_api.event_store import statements
from command_api.event_store.records import (
    AppendedEvents,
    AppendRequest,
    ClockJumped,
    Decision,
    LogUnavailable,
    RecordedDecision,
    RecordedEvent,
    UniqueKeyChanged,
    ValueTaken,
    VersionConflict,
)
from ops.base.clock import STEADY_CLOCK
from ops.base.database.connection import connect
from ops.base.database.prepared import PreparedSession, Value
from ops.base.observability import tracing
from ops.base.process.failpoints import failpoint
from ops.base.process.tasks import supervised

BATCH_COMMANDS: Final = 256
BATCH_BYTES: Final = 256 * 1024  # per statement; a larger single command is appended alone
MAX_WAITING: Final = 5_000
RETRY_SECONDS: Final = 0.1
CHECK_SECONDS: Final = 10.0
"""Interval of checks whether the log can be appended to, while no command appends."""
RETRY_CHECK_SECONDS: Final = 1.0
"""The interval after an error."""
ANSWER_SECONDS: Final = 4.0  # longer than a dead session may hold the log's lock: see statements.SESSION
_CLOCK_JUMPED: Final = "FLCLK"
"""SQLSTATE with which `log.append` refuses an impossible time."""
_UNIQUE_ACTIONS: Final = ("release", "claim", "share", "avoid")
_APPEND: Final = statements.APPEND.encode()
_NOTIFY: Final = statements.NOTIFY.encode()
_WRITE_PAGE: Final = b"SELECT pg_logical_emit_message(true, 'fleetlog', repeat(' ', 8192)) IS NULL"

AppendOutcome = AppendedEvents | RecordedDecision | VersionConflict | ValueTaken | UniqueKeyChanged

logger = structlog.get_logger()


@dataclass
class _WaitingCommand:
    request: AppendRequest
    outcome: asyncio.Future[AppendedEvents | RecordedDecision] = field(default_factory=asyncio.Future)

    def resolve(self, outcome: AppendedEvents | RecordedDecision | Exception) -> None:
        if self.outcome.done():
            return
        if isinstance(outcome, Exception):
            self.outcome.set_exception(outcome)
        else:
            self.outcome.set_result(outcome)


class Appender:
    """Appends to the log through one connection, and reconnects after errors.

    Attributes:
        error: type of the error of the last attempt to append; None: it succeeded.
        dsn: of the log's database.
        clock_jumped: why the current time cannot be recorded; None: it could at the last attempt.
    """

    def __init__(
        self, dsn: str, *, patience: float = 10.0, clock: Callable[[], datetime] = STEADY_CLOCK.now
    ) -> None:
        """Prepare the appender; `running` starts it.

        Args:
            patience: seconds after which a command fails if it is not known to be appended.
            clock: the clock with which the database's clock is compared.
        """
        self.clock_jumped: str | None = None
        self.error: str | None = None
        self._clock = clock
        self.dsn = dsn
        self._patience = patience
        self._waiting: deque[_WaitingCommand] = deque()
        self._in_flight: list[_WaitingCommand] = []
        self._wake = asyncio.Event()
        self._session: PreparedSession | None = None

    async def append(self, request: AppendRequest) -> AppendedEvents | RecordedDecision:
        """Append one command together with others that wait; see `EventLog.append`."""
        if len(self._waiting) >= MAX_WAITING:
            raise LogUnavailable("too many commands are waiting")
        waiting = _WaitingCommand(request)
        self._waiting.append(waiting)
        self._wake.set()
        with metrics.APPEND_SECONDS.time(), tracing.span("append") as span:
            try:
                async with asyncio.timeout(self._patience):
                    outcome = await waiting.outcome  # the timeout cancels it, and the writer skips it then
            except TimeoutError:
                raise LogUnavailable("the log cannot be reached") from None
            for event in outcome.events[-1:]:
                span.set_attribute("fleetlog.position", event.position)
            return outcome

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the writer within the context; commands that wait at its end fail."""
        writer = asyncio.create_task(supervised(self._write_for_ever), name="appender")
        try:
            yield
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            await self._disconnect()
            for waiting in (*self._in_flight, *self._waiting):
                waiting.resolve(LogUnavailable("the service is stopping"))

    async def _write_for_ever(self) -> None:
        for waiting in self._in_flight:
            waiting.resolve(LogUnavailable("the writer has failed"))
        while True:
            try:
                # A full disk may have room for a page though not for an event, so its error stays longer.
                soon = self.error not in (None, DiskFull.__name__)
                async with asyncio.timeout(RETRY_CHECK_SECONDS if soon else CHECK_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                await self._check()
            self._wake.clear()
            while self._waiting:
                self._in_flight = self._next_batch()
                await self._write(self._in_flight)

    async def _check(self) -> None:
        """Append nothing, to detect errors before the next command does."""
        try:
            await self._append([])
            if self.error is not None:  # an append of nothing writes nothing, so it succeeds on a full disk
                await write_page(await self._connected())
            self.error = None
        except ClockJumped:
            await self._disconnect()
        except psycopg.Error as error:
            self.error = type(error).__name__
            await self._disconnect()

    def _next_batch(self) -> list[_WaitingCommand]:
        batch: list[_WaitingCommand] = []
        size = 0
        while self._waiting and len(batch) < BATCH_COMMANDS:
            size += self._waiting[0].request.size
            if batch and size > BATCH_BYTES:
                break
            batch.append(self._waiting.popleft())
        return _pending(batch)

    async def _write(self, batch: list[_WaitingCommand]) -> None:
        while batch:
            try:
                await self._commit(batch)
            except psycopg.OperationalError as error:
                self.error = type(error).__name__
                logger.warning("append_retried", error=self.error, commands=len(batch))
                await self._disconnect()
                await asyncio.sleep(RETRY_SECONDS)
                batch = _pending(batch)
            except ClockJumped as error:
                for waiting in batch:
                    waiting.resolve(error)
                return
            except Exception as error:
                logger.exception("append_failed", commands=len(batch))
                await self._disconnect()
                if len(batch) == 1:
                    batch[0].resolve(error)
                else:  # the error of one command must not fail the others of its batch
                    for waiting in batch:
                        await self._write([waiting])
                return
            else:
                return

    async def _commit(self, batch: list[_WaitingCommand]) -> None:
        await self._connected()
        with metrics.COMMIT_SECONDS.time():
            outcomes = await self._append([waiting.request for waiting in batch])
        self.error = None
        failpoint("command.committed")
        metrics.BATCH_SIZE.observe(len(batch))
        for waiting, outcome in zip(batch, outcomes, strict=True):
            waiting.resolve(outcome)
        if head := _last_position(outcomes):
            # First let the commands send their answers, in the event loop's next iteration. NOTIFY within the
            # transaction would take a lock of the whole server.
            await asyncio.sleep(0)
            await notify(await self._connected(), head)

    async def _append(self, batch: Sequence[AppendRequest]) -> list[AppendOutcome]:
        try:
            outcomes = await append_batch(await self._connected(), batch, clock=self._clock())
        except ClockJumped as error:
            logger.error("clock_jumped", reason=str(error), commands=len(batch))  # noqa: TRY400
            self.clock_jumped = str(error)
            metrics.CLOCK_JUMPED.set(1)
            raise
        self.clock_jumped = None
        metrics.CLOCK_JUMPED.set(0)
        return outcomes

    async def _connected(self) -> PreparedSession:
        if self._session is None or self._session.closed:
            self._session = await open_session(self.dsn)
        return self._session

    async def _disconnect(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


def _last_position(outcomes: Sequence[AppendOutcome]) -> int:
    appended = (outcome.events for outcome in outcomes if not isinstance(outcome, Exception))
    return max((event.position for events in appended for event in events), default=0)


def _pending(batch: list[_WaitingCommand]) -> list[_WaitingCommand]:
    return [waiting for waiting in batch if not waiting.outcome.done()]


async def open_session(dsn: str) -> PreparedSession:
    """Open a session that appends."""
    connection = await connect(dsn, autocommit=True, answer_seconds=ANSWER_SECONDS)
    await connection.execute(statements.SESSION)
    return PreparedSession(connection)


async def notify(session: PreparedSession, position: int) -> None:
    """Notify all listeners of the log's head."""
    await session.fetch(_NOTIFY, [str(position)])


async def write_page(session: PreparedSession) -> None:
    """Write a page without meaning to the write-ahead log, to check that the server can write."""
    await session.fetch(_WRITE_PAGE)


async def append_batch(
    session: PreparedSession, batch: Sequence[AppendRequest], *, clock: datetime | None = None
) -> list[AppendOutcome]:
    """Append a batch in its order in one transaction, and return the outcome of each command.

    A command that has an outcome in the log gets that outcome, so retries are safe.

    Args:
        clock: the time of this process; None: trust the database's clock.

    Raises:
        ClockJumped: nothing was appended.
        psycopg.Error: it is unknown whether the batch was appended.
    """
    try:
        rows = await session.fetch(_APPEND, parameters_of(batch, clock))
    except psycopg.Error as error:
        raise refusal_of(error) from None
    return outcomes_of(batch, rows)


def refusal_of(error: psycopg.Error) -> psycopg.Error | ClockJumped:
    """Return the error of a failed append as `ClockJumped`, if it is one."""
    return ClockJumped(error.diag.message_primary) if error.sqlstate == _CLOCK_JUMPED else error


def parameters_of(batch: Sequence[AppendRequest], clock: datetime | None) -> list[Value]:
    """Return the parameters of `statements.APPEND`; see `append_batch`."""
    last_events: list[int] = []
    streams: list[str] = []
    versions: list[int] = []
    topics: list[str | None] = []
    states: list[bytes | None] = []
    unique: list[tuple[int, str, bytes, str | None]] = []
    known: list[tuple[int, str, int]] = []
    for request in batch:
        unique_of = zip(count(len(streams) + 1), request.unique)
        if request.decision is not None:
            streams.append(request.decision.originator_id)
            versions.append(request.decision.originator_version)
            topics.append(None)
            states.append(None)
        for event in request.events:
            streams.append(str(event.originator_id))
            versions.append(event.originator_version)
            topics.append(event.topic)
            states.append(event.state)
        last_events.append(len(streams))
        known += [(len(streams), *one) for one in request.known]
        unique += [
            (event, action, one, change.during.get(one))
            for event, change in unique_of
            if change is not None
            for action, some in zip(_UNIQUE_ACTIONS, change[1:5], strict=True)
            for one in some
        ]
    return [
        clock,
        [str(request.command_id) for request in batch],
        [request.fingerprint for request in batch],
        [request.decision and request.decision.decision for request in batch],
        *(last_events, streams, versions, topics, states),
        [request.unique_key_id for request in batch],
        [event for event, _, _, _ in unique],
        [action for _, action, _, _ in unique],
        [one for _, _, one, _ in unique],
        [during for _, _, _, during in unique],
        [event for event, _, _ in known],
        [stream for _, stream, _ in known],
        [version for _, _, version in known],
    ]


def outcomes_of(batch: Sequence[AppendRequest], rows: Sequence[tuple[Any, ...]]) -> list[AppendOutcome]:
    """Return the outcome of each command from the rows of `statements.APPEND`.

    The rows are one for each appended event, and one for each command that appended nothing.
    """
    outcomes: list[AppendOutcome] = []
    index = 0
    for request in batch:
        outcome = _outcome(request, rows[index])
        outcomes.append(outcome)
        was_appended = isinstance(outcome, AppendedEvents) and rows[index][3] is None
        index += len(request.events) if was_appended else 1
    return outcomes


def _refusal(
    stream: str | None, state: bytes | None, decision: str | None
) -> VersionConflict | ValueTaken | UniqueKeyChanged:
    match decision:
        case "duplicate":
            return ValueTaken(state or b"", stream or "")
        case "not ready":
            return UniqueKeyChanged("unique values have another key now")
    return VersionConflict("another command came first")


def _outcome(request: AppendRequest, row: tuple[Any, ...]) -> AppendOutcome:
    _, position, moment, stream, version, topic, state, decision, fingerprint = row
    if position is None or moment is None:
        return _refusal(stream, state, decision)
    if stream is not None and decision is not None:
        return RecordedDecision(Decision(stream, version, decision), position, fingerprint)
    if request.decision is not None and stream is None:
        return RecordedDecision(request.decision, position, request.fingerprint)
    first = position
    if stream is not None:  # the last event of the command, which this request or another one has appended
        last = RecordedEvent(stream, version, topic or "", state or b"", position, moment)
        if not request.events or RecordedEvent.of(request.events[-1], position, moment) != last:
            return AppendedEvents((last,))
        first = position - len(request.events) + 1
    # The events of a command have consecutive positions.
    events = enumerate(request.events, first)
    return AppendedEvents(tuple([RecordedEvent.of(new, at, moment) for at, new in events]))
