"""The eventsourcing library's recorder interface over our asynchronous log, for its conformance suite."""

import asyncio
import threading
import uuid
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from typing import Any, TypeVar
from uuid import UUID

from eventsourcing.persistence import (
    ApplicationRecorder,
    IntegrityError,
    Notification,
    StoredEvent,
    Subscription,
)

from command_api.event_store.log import EventLog
from command_api.event_store.records import Append, RecordedEvent, VersionConflict

T = TypeVar("T")


class SynchronousRecorder(ApplicationRecorder):
    """Runs the log on an event loop in a thread of its own."""

    def __init__(self, dsn: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._stack = AsyncExitStack()
        self._log = self._wait(self._stack.enter_async_context(EventLog.open(dsn, pool_size=2)))

    def close(self) -> None:
        self._wait(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        # The suite's own threads may still be reading when a test is over.
        readers = asyncio.all_tasks() - {asyncio.current_task()}
        await self._stack.aclose()
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        if not stored_events:
            return []
        events = tuple(
            StoredEvent(str(event.originator_id), event.originator_version, event.topic, event.state)
            for event in stored_events
        )
        try:
            appended = self._wait(self._log.append(Append(uuid.uuid4(), events)))
        except VersionConflict as conflict:
            raise IntegrityError(str(conflict)) from conflict
        return [event.position for event in appended.events]

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        events = [
            StoredEvent(event.originator_id, event.originator_version, event.topic, event.state)
            for event in self._wait(self._stream(str(originator_id)))
            if (gt is None or event.originator_version > gt)
            and (lte is None or event.originator_version <= lte)
        ]
        return (events[::-1] if desc else events)[:limit]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        position = 0 if start is None else start - (1 if inclusive_of_start else 0)
        selected: list[Notification] = []
        while page := self._wait(self._log.after(position, limit=100)):
            position = page[-1].position
            selected += [
                _notification(event)
                for event in page
                if (stop is None or event.position <= stop) and (not topics or event.topic in topics)
            ]
            if len(selected) >= limit:
                break
        return selected[:limit]

    def max_notification_id(self) -> int | None:
        return self._wait(self._log.head()) or None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> Subscription[Any]:
        raise NotImplementedError("our followers poll and listen by themselves")

    async def _stream(self, originator_id: str) -> list[RecordedEvent]:
        events: list[RecordedEvent] = []
        while True:
            after = events[-1].originator_version if events else -1
            stretch = await self._log.stretch(originator_id, after=after)
            events += stretch.events
            if stretch.is_last:
                return events

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=60)


def _notification(event: RecordedEvent) -> Notification:
    return Notification(
        originator_id=event.originator_id,
        originator_version=event.originator_version,
        topic=event.topic,
        state=event.state,
        id=event.position,
    )
