"""The library's recorder over our log, which runs on an event loop in a thread of its own."""

import asyncio
import threading
import uuid
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AsyncExitStack, contextmanager
from typing import Any, Final, TypeVar
from uuid import UUID

import psycopg
from eventsourcing import persistence
from eventsourcing.persistence import ApplicationRecorder, Notification, StoredEvent
from psycopg_pool import PoolTimeout

from command_api.event_store.appender import Appender
from command_api.event_store.log import EventLog
from command_api.event_store.records import (
    MAX_VERSION,
    Append,
    Appended,
    ClockJumped,
    LogUnavailable,
    VersionConflict,
)
from command_api.event_store.statements import APPENDED_CHANNEL
from command_api.persistence.subscription import LogSubscription
from ops.base.database import listen, open_pool

T = TypeVar("T")

PAGE_EVENTS: Final = 100
POLL_SECONDS: Final = 1.0
_CONNECTIONS: Final = 2
_BEFORE_ALL: Final = -1  # the library's streams may begin with version 0


class FleetlogRecorder(ApplicationRecorder):
    """Reads our log and follows it; appends to it where the role may."""

    def __init__(self, dsn: str) -> None:
        """Open a log.

        Args:
            dsn: DSN of a role that may select from `log.events` and `log.head`; it appends where it may call
                `log.append`.
        """
        self._dsn = dsn
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fleetlog", daemon=True)
        self._thread.start()
        self._stack = AsyncExitStack()
        self._appender = Appender(dsn)
        self._appending: asyncio.Task[None] | None = None
        self._lock = threading.Lock()
        self._is_closed = False
        self._log = self._wait(self._open())

    def close(self) -> None:
        """Close its connections, and end what still reads or follows."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            ended = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        ended.result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Append events: all of them, or none.

        Returns:
            Their positions.

        Raises:
            eventsourcing.persistence.IntegrityError: a version is there already, or does not follow.
            eventsourcing.persistence.PersistenceError: they could not be appended.
        """
        if not stored_events:
            return []
        events = tuple(
            StoredEvent(str(event.originator_id), event.originator_version, event.topic, event.state)
            for event in stored_events
        )
        kept = self._wait(self._append(Append(uuid.uuid4(), events)))
        return [event.position for event in kept.events]

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Return the events of a stream between two versions."""
        bounds = (_BEFORE_ALL if gt is None else gt, MAX_VERSION if lte is None else lte)
        read = self._latest if desc else self._first
        return self._wait(read(str(originator_id), *bounds, MAX_VERSION if limit is None else limit))

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Return events of the log between two positions, in its order."""
        after = 0 if start is None else start - (1 if inclusive_of_start else 0)
        return self._wait(self._notifications(after, MAX_VERSION if stop is None else stop, topics, limit))

    def max_notification_id(self) -> int | None:
        """Return the position of the last event."""
        return self._wait(self._log.head()) or None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> LogSubscription:
        """Follow the log from a position on."""
        return LogSubscription(self, gt=gt, topics=topics)

    def watch(self, wake: Callable[[], None]) -> Future[None]:
        """Call something, in another thread, whenever there may be new events: until it is cancelled."""
        return self._submit(self._watch(wake))

    async def _open(self) -> EventLog:
        return EventLog(
            await self._stack.enter_async_context(open_pool(self._dsn, size=_CONNECTIONS)), self._appender
        )

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await self._stack.aclose()
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _append(self, append: Append) -> Appended:
        if self._appending is None:  # who never appends need not have the right to
            self._appending = asyncio.create_task(self._start_appending())
        await self._appending
        kept = await self._log.append(append)
        assert isinstance(kept, Appended)  # noqa: S101 - nobody else has its command id
        return kept

    async def _start_appending(self) -> None:
        await self._stack.enter_async_context(self._appender.running())

    async def _first(self, stream: str, after: int, up_to: int, limit: int) -> list[StoredEvent]:
        events: list[StoredEvent] = []
        while True:
            stretch = await self._log.stretch(stream, after=after)
            events += [event for event in stretch.events if event.originator_version <= up_to]
            if stretch.is_last or len(events) >= limit or stretch.events[-1].originator_version >= up_to:
                return events[:limit]
            after = stretch.events[-1].originator_version

    async def _latest(self, stream: str, after: int, up_to: int, limit: int) -> list[StoredEvent]:
        events: list[StoredEvent] = []
        while len(events) < limit:
            page = min(limit - len(events), PAGE_EVENTS)
            latest = await self._log.latest(stream, after=after, up_to=up_to, limit=page)
            if not latest:
                break
            events += reversed(latest)
            up_to = latest[0].originator_version - 1
        return events

    async def _notifications(
        self, after: int, up_to: int, topics: Sequence[str], limit: int
    ) -> list[Notification]:
        events: list[Notification] = []
        while len(events) < limit:
            page = min(limit - len(events), PAGE_EVENTS)
            following = await self._log.after(after, limit=page, up_to=up_to, topics=topics)
            events += following
            if len(following) < page:
                break
            after = following[-1].position
        return events

    async def _watch(self, wake: Callable[[], None]) -> None:
        listening = asyncio.create_task(listen(self._dsn, APPENDED_CHANNEL, lambda _: wake()))
        try:
            while True:  # never dependent on being told
                await asyncio.sleep(POLL_SECONDS)
                wake()
        finally:
            listening.cancel()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        with _library_errors():
            return self._submit(work).result()

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        with self._lock:
            if self._is_closed:
                work.close()
                raise persistence.InterfaceError("the recorder is closed")
            return asyncio.run_coroutine_threadsafe(work, self._loop)


@contextmanager
def _library_errors() -> Iterator[None]:
    """Raise what is ours as what the library calls it."""
    try:
        yield
    except (VersionConflict, psycopg.IntegrityError) as error:
        raise persistence.IntegrityError(str(error)) from error
    except (LogUnavailable, ClockJumped, PoolTimeout, psycopg.OperationalError) as error:
        raise persistence.OperationalError(str(error)) from error
    except psycopg.ProgrammingError as error:
        raise persistence.ProgrammingError(str(error)) from error
    except psycopg.Error as error:
        raise persistence.PersistenceError(str(error)) from error
