"""A log without a database, for tests; it passes the same tests as the log in PostgreSQL."""

import asyncio
import json
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from eventsourcing.persistence import StoredEvent

from command_api.event_store.log import LATEST_BYTES, PAGE_BYTES, PAGE_EVENTS, EventLog
from command_api.event_store.records import (
    MAX_VERSION,
    AppendedEvents,
    AppendRequest,
    Decision,
    RecordedDecision,
    RecordedEvent,
    Snapshot,
    StreamPage,
    UniqueKeyChanged,
    ValueTaken,
    VersionConflict,
)
from command_api.event_store.unique_refill import Refill
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.states import decrypt_state


def stored_members(event: RecordedEvent) -> dict[str, Any]:
    """Return the decrypted state of an event of `LogInMemory.stream`."""
    assert event.key is not None
    state = decrypt_state(event.state, event.originator_id, event.originator_version, event.key)
    members: dict[str, Any] = json.loads(state)
    return members


class LogInMemory(EventLog):
    """A log in memory.

    Attributes:
        clock_jumped: as in `EventLog`; set by tests.
        append_error: as in `EventLog`.
        outcomes: decisions of commands that appended nothing.
        snapshots: by stream and version, not encrypted.
        views: entries of the access log, in order.
    """

    clock_jumped: str | None = None
    append_error: str | None = None

    def __init__(self, *, page_events: int = PAGE_EVENTS) -> None:
        """Create an empty log.

        Args:
            page_events: maximum number of events of a page.
        """
        self.outcomes: dict[UUID, RecordedDecision] = {}
        self.snapshots: dict[str, dict[int, Snapshot]] = defaultdict(dict)
        self.views: list[dict[str, Any]] = []
        self._id = uuid.uuid4().hex
        self._events: list[RecordedEvent] = []
        self._streams: dict[str, list[int]] = defaultdict(list)
        self._commands: dict[UUID, int] = {}
        self._page_events = page_events
        self._unique_key: str | None = None
        self._unique_values: set[tuple[bytes, str, str | None]] = set()

    async def append(self, request: AppendRequest) -> AppendedEvents | RecordedDecision:
        await asyncio.sleep(0)  # let other commands run, as in PostgreSQL
        kept = self._kept(request)
        if kept is not None and request.fingerprint is not None:
            return kept
        if request.decision is not None:
            return self._decide(request, request.decision)
        if not self._fit(request.events) or any(
            len(self._streams[stream]) != version for stream, version in request.known
        ):
            if isinstance(kept, AppendedEvents):
                return kept
            raise VersionConflict("another command came first")
        self._change_unique_values(request)
        moment = max([datetime.now(UTC), *(event.moment for event in self._events[-1:])])
        self._commands[request.command_id] = len(self._events) + len(request.events) - 1
        for new in request.events:
            self.hold(RecordedEvent.of(new, len(self._events) + 1, moment))
        return AppendedEvents(tuple(self._events[-len(request.events) :]))

    async def page(self, originator_id: str, *, after: int = 0) -> StreamPage:
        await asyncio.sleep(0)
        events = self.stream(originator_id)
        found = [event for event in events if event.originator_version >= after][: self._page_events]
        before = found[0].reference if found and found[0].originator_version == after else None
        following = found[1:] if before else found
        held = _within(following, PAGE_BYTES)
        is_last = len(found) < self._page_events and held == following
        await KEYS.unlock(held)
        return StreamPage(before, held, is_last, found[0].key_id if before else None)

    async def latest(self, originator_id: str, *, after: int, up_to: int, limit: int) -> list[RecordedEvent]:
        events = self.stream(originator_id)
        between = [event for event in events if after < event.originator_version <= up_to]
        return list(await KEYS.unlock(_within(between[: -limit - 1 : -1], LATEST_BYTES)[::-1]))

    async def snapshot(self, originator_id: str, *, up_to: int = MAX_VERSION) -> Snapshot | None:
        snapshots = self.snapshots[originator_id]
        newest = max((version for version in snapshots if version <= up_to), default=None)
        return None if newest is None else snapshots[newest]

    def add_snapshot(self, originator_id: str, key_id: str | None, snapshot: Snapshot) -> None:
        record = json.loads(json.dumps(snapshot.record))
        self.snapshots[originator_id].setdefault(snapshot.reference.version, snapshot._replace(record=record))

    async def unique_key(self, version: int) -> str | None:
        return self._unique_key

    async def owners(self, values: Mapping[bytes, str | None], *, excluding: str) -> dict[bytes, str]:
        return {
            value: one
            for value, one, during in self._unique_values
            if value in values and one != excluding and _overlap(during, values[value])
        }

    def lose_unique_values(self) -> None:
        """Lose them as a crash of PostgreSQL does."""
        self._unique_key, self._unique_values = None, set()

    async def refill_unique_values(self, refill: Refill) -> bool:
        streams = [one for one in self._streams if one.partition(":")[0] in refill.types]
        self._unique_values = set(await refill.hash_streams(streams))
        self._unique_key = refill.key_id
        return True

    async def after(
        self, position: int, *, limit: int, up_to: int = MAX_VERSION, topics: Sequence[str] = ()
    ) -> list[RecordedEvent]:
        return [one for one in self._events[position:up_to] if not topics or one.topic in topics][:limit]

    @property
    def length(self) -> int:
        return len(self._events)

    async def head(self) -> int:
        return self.length

    async def log_id(self) -> str:
        return self._id

    async def record_views(self, batch_id: UUID, batch: bytes) -> None:
        recorded = json.loads(batch)
        names = ("moment", "id", "request_id", "filter", "count")
        for who, what, *rest in recorded["views"]:
            one = {"actor": recorded["who"][who], **recorded["what"][what]}
            self.views.append({**one, **dict(zip(names, rest, strict=True))})

    def forget_id(self) -> None:
        pass

    def stream(self, originator_id: str) -> list[RecordedEvent]:
        """Return a stream's events, with the keys that are cached."""
        events = [self._events[position - 1] for position in self._streams[originator_id]]
        for event in events:
            if event.key_id is not None:
                event.unlock(KEYS.get(event.key_id))
        return events

    def hold(self, *events: RecordedEvent) -> None:
        """Append events of another log, the first at the next position."""
        for event in events:
            self._streams[event.originator_id].append(event.position)
            self._events.append(event)

    def replace(self, event: RecordedEvent) -> None:
        """Replace the event at its position, for tests of altered logs."""
        self._events[event.position - 1] = event

    def _change_unique_values(self, request: AppendRequest) -> None:
        streams = [str(event.originator_id) for event in request.events]
        changes = [
            (stream, change) for stream, change in zip(streams, request.unique, strict=False) if change
        ]
        if any(change.key_id != (self._unique_key or "") for _, change in changes):
            raise UniqueKeyChanged
        released = {(one, stream) for stream, change in changes for one in change.released}
        left = {one for one in self._unique_values if one[:2] not in released}
        for stream, change in changes:
            for value, owner, during in left:
                is_claimed = value in (*change.claimed, *change.avoided) and _overlap(
                    during, change.during.get(value)
                )
                if is_claimed and owner != stream:
                    raise ValueTaken(value, owner)
        self._unique_values = left | {
            (one, stream, change.during.get(one))
            for stream, change in changes
            for one in (*change.claimed, *change.shared)
        }

    def _kept(self, request: AppendRequest) -> AppendedEvents | RecordedDecision | None:
        last = self._commands.get(request.command_id)
        if last is None:
            return self.outcomes.get(request.command_id)
        events = tuple(self._events[last - max(0, len(request.events) - 1) : last + 1])
        is_same = [one.state for one in request.events] == [one.state for one in events]
        return AppendedEvents(events if is_same else events[-1:])

    def _newest(self, originator_id: str) -> RecordedEvent | None:
        return next(iter(self.stream(originator_id)[-1:]), None)

    def _decide(self, request: AppendRequest, decision: Decision) -> RecordedDecision:
        newest = self._newest(decision.originator_id)
        if decision.originator_version != (newest.originator_version if newest else 0):
            raise VersionConflict("another command came first")
        decided = RecordedDecision(decision, newest.position if newest else 0, request.fingerprint)
        self.outcomes[request.command_id] = decided
        return decided

    def _fit(self, events: Sequence[StoredEvent]) -> bool:
        """Return whether each event follows in its stream; streams begin at version 0 or 1."""
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
    """Return the first events until the limit of bytes is reached."""
    held: list[RecordedEvent] = []
    size = 0
    for event in events:
        if size >= most_bytes:
            break
        held.append(event)
        size += len(event.state)
    return held


def _overlap(one: str | None, other: str | None) -> bool:
    """Return whether two times, as `uniqueness.time_range` writes them, have a moment in common."""
    if one is None or other is None:
        return True
    (start, end), (other_start, other_end) = (text[1:-1].split(",") for text in (one, other))
    return (not end or other_start < end) and (not other_end or start < other_end)
