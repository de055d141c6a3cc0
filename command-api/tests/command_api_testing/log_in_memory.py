"""The log without a database, for tests of whatever stands on one; it passes the tests of the real one."""

import asyncio
import json
import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from eventsourcing.persistence import StoredEvent

from command_api.event_store.log import LATEST_BYTES, STRETCH_BYTES, STRETCH_EVENTS
from command_api.event_store.records import (
    MAX_VERSION,
    Append,
    Appended,
    Decided,
    Decision,
    RecordedEvent,
    Snapshot,
    Stretch,
    VersionConflict,
)
from ops.base.encryption.key_cache import KEYS


class LogInMemory:
    """The log of one fleet, for as long as a test lasts.

    Attributes:
        clock_jumped: set by tests in which nothing can be appended.
        append_error: as in `Log`.
        outcomes: what was decided of commands that appended nothing.
        snapshots: set by tests that know of states; they are not held against the log.
        views: what the access log has, in its order.
    """

    def __init__(self, *, stretch_events: int = STRETCH_EVENTS) -> None:
        """Begin with an empty log.

        Args:
            stretch_events: how many events a stretch has at most.
        """
        self.clock_jumped: str | None = None
        self.append_error: str | None = None
        self.outcomes: dict[UUID, Decided] = {}
        self.snapshots: dict[tuple[str, str], list[Snapshot]] = defaultdict(list)
        self.views: list[dict[str, Any]] = []
        self._id = uuid.uuid4().hex
        self._events: list[RecordedEvent] = []
        self._streams: dict[str, list[int]] = defaultdict(list)
        self._commands: dict[UUID, int] = {}
        self._stretch_events = stretch_events

    async def append(self, append: Append) -> Appended | Decided:
        """See `Log`."""
        await asyncio.sleep(0)  # as there, others come between
        kept = self._kept(append.command_id)
        if kept is not None and append.fingerprint is not None:
            return kept
        if append.decision is not None:
            return self._decide(append, append.decision)
        if not self._fit(append.events):
            if isinstance(kept, Appended):
                return kept
            raise VersionConflict("another command came first")
        moment = max([datetime.now(UTC), *(event.moment for event in self._events[-1:])])
        self._commands[append.command_id] = len(self._events)
        for new in append.events:
            self.hold(RecordedEvent.of(new, len(self._events) + 1, moment))
        return Appended(tuple(self._events[-len(append.events) :]))

    async def stretch(self, originator_id: str, *, after: int = 0) -> Stretch:
        """See `Log`."""
        await asyncio.sleep(0)
        events = self.stream(originator_id)
        found = [event for event in events if event.originator_version >= after][: self._stretch_events]
        before = found[0].place if found and found[0].originator_version == after else None
        following = found[1:] if before else found
        held = _within(following, STRETCH_BYTES)
        is_last = len(found) < self._stretch_events and held == following
        await KEYS.unlock(held)
        return Stretch(before, held, is_last, found[0].key_id if before else None)

    async def latest(self, originator_id: str, *, after: int, up_to: int, limit: int) -> list[RecordedEvent]:
        """See `Log`."""
        events = self.stream(originator_id)
        between = [event for event in events if after < event.originator_version <= up_to]
        return list(await KEYS.unlock(_within(between[: -limit - 1 : -1], LATEST_BYTES)[::-1]))

    async def snapshot(self, entity: str, entity_id: str, *, up_to: int = MAX_VERSION) -> Snapshot | None:
        """See `Log`."""
        known = [one for one in self.snapshots[entity, entity_id] if one.place.version <= up_to]
        return max(known, key=lambda one: one.place.version, default=None)

    async def after(
        self, position: int, *, limit: int, up_to: int = MAX_VERSION, topics: Sequence[str] = ()
    ) -> list[RecordedEvent]:
        """See `WholeLog.after`."""
        return [one for one in self._events[position:up_to] if not topics or one.topic in topics][:limit]

    async def head(self) -> int:
        """See `Log`."""
        return len(self._events)

    async def log_id(self) -> str:
        """See `Log`."""
        return self._id

    async def record_views(self, batch_id: UUID, batch: bytes) -> None:
        """See `Log`."""
        recorded = json.loads(batch)
        names = ("moment", "id", "request_id", "filter", "count")
        for who, what, *rest in recorded["views"]:
            one = {"actor": recorded["who"][who], **recorded["what"][what]}
            self.views.append({**one, **dict(zip(names, rest, strict=True))})

    def forget_id(self) -> None:
        """See `Log`."""

    def stream(self, originator_id: str) -> list[RecordedEvent]:
        """Return a stream's events."""
        return [self._events[position - 1] for position in self._streams[originator_id]]

    def hold(self, *events: RecordedEvent) -> None:
        """Go on with events as another log had them, the first of which has the next position."""
        for event in events:
            self._streams[event.originator_id].append(event.position)
            self._events.append(event)

    def replace(self, event: RecordedEvent) -> None:
        """Put an event in the place of the one at its position, as nobody may."""
        self._events[event.position - 1] = event

    def _kept(self, command_id: UUID) -> Appended | Decided | None:
        if command_id in self._commands:
            return Appended((self._events[self._commands[command_id]],))
        return self.outcomes.get(command_id)

    def _newest(self, originator_id: str) -> RecordedEvent | None:
        return next(iter(self.stream(originator_id)[-1:]), None)

    def _decide(self, append: Append, decision: Decision) -> Decided:
        newest = self._newest(decision.originator_id)
        if decision.originator_version != (newest.originator_version if newest else 0):
            raise VersionConflict("another command came first")
        decided = Decided(decision, newest.position if newest else 0, append.fingerprint)
        self.outcomes[append.command_id] = decided
        return decided

    def _fit(self, events: Sequence[StoredEvent]) -> bool:
        """Whether each follows in its stream; one begins at 1, or at 0 as those of the library do."""
        versions: dict[str, int] = {}
        for event in events:
            stream = str(event.originator_id)
            newest = self._newest(stream)
            before = versions.get(stream, newest.originator_version if newest else None)
            if event.originator_version not in ((0, 1) if before is None else (before + 1,)):
                return False
            versions[stream] = event.originator_version
        return True


def _within(events: Iterable[RecordedEvent], most_bytes: int) -> list[RecordedEvent]:
    """Return the first events, until they have so many bytes."""
    held: list[RecordedEvent] = []
    size = 0
    for event in events:
        if size >= most_bytes:
            break
        held.append(event)
        size += len(event.state)
    return held
