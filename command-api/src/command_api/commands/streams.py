"""Entities folded from their streams, with a cache, so that a command reads new events only."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

import pydantic_core

from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import Definition
from command_api.domain.events import Event
from command_api.domain.state import State, details_of
from command_api.domain.undo import UndoTarget, other_of_merge
from command_api.event_store.log import EventLog
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import MAX_VERSION, EventReference, RecordedEvent, Snapshot
from ops.base.encryption.actors import ActorNames, load_actor_names

SNAPSHOT_BYTES: Final = 96 * 1024
"""Bytes of events after which the next snapshot is stored: a page of events of usual size."""
CACHE_BYTES: Final = 16 * 1024 * 1024
_ENTRY_BYTES: Final = 700
"""Upper bound of an entry's size without its record."""
MAX_CHANGES: Final = 100
"""The maximum number of changes reported for a failed precondition; fewer if they are large."""


class History(NamedTuple):
    """An entity at one version of its stream."""

    aggregate: Aggregate
    last: EventReference | None = None
    """The stream's last event at that version; None: the stream has none."""
    key_id: str | None = None
    """The id of the key that encrypts the stream; None: it has no key yet."""
    bytes_since_snapshot: int = 0

    @property
    def position(self) -> int:
        """The position of its last event, or 0."""
        return self.last.position if self.last else 0

    def after(self, event: Event, recorded: RecordedEvent) -> "History":
        """Return the history after the stream's next event."""
        aggregate = self.aggregate.after(event, recorded.moment)
        # A registration after an erasure gets a new key.
        key_id = None if aggregate.is_erased else recorded.key_id or self.key_id
        size = self.bytes_since_snapshot + len(recorded.state)
        return History(aggregate, recorded.reference, key_id, size)


class Streams:
    """Loads entities from the log.

    A cached entity is continued if the log still has the entity's last event. A long stream that is not
    cached is continued from a snapshot if the log has the snapshot's event, else folded page by page.
    """

    def __init__(self, log: EventLog, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._log = log
        self._cache = _Cache(cache_bytes)

    async def load(self, definition: Definition, entity_id: str, *, up_to: int = MAX_VERSION) -> History:
        """Return an entity now or at a version; at its last version if it has fewer.

        Raises:
            UnreadableEvent: an event has an unknown shape.
            InapplicableEvent: an event does not follow.
        """
        stream = definition.stream(entity_id)
        folded = base = History(definition.unused(entity_id))
        cache = self._cache
        cached = cache.get(definition, entity_id)
        if cached is not None and cached.aggregate.version <= up_to:
            base = cached
        may_skip = True
        while True:
            page = await self._log.page(stream, after=base.aggregate.version)
            if base.last is not None and not base.last.is_same(page.previous):
                # The log was replaced or altered.
                cache.remove(stream)
                base = folded
                continue
            key_id = None if base.aggregate.is_erased else page.previous_key_id or base.key_id
            folded = _after(base._replace(last=page.previous, key_id=key_id), page.events, up_to)
            is_complete = page.is_last or folded.aggregate.version == up_to
            if may_skip and not is_complete:
                may_skip = False
                if (skipped := await self._skip(folded, up_to)) is not None:
                    base = skipped
                    continue
            base = folded = self._with_snapshot(folded)
            cache.put(folded)
            if is_complete:
                return folded

    async def load_with_merged(self, definition: Definition, entity_id: str) -> list[Aggregate]:
        """Return all entities that were merged into one, directly or not, and that one last.

        Raises as `load` does.
        """
        found: dict[str, Aggregate] = {}
        unseen = [(await self.load(definition, entity_id)).aggregate]
        while unseen:
            now = unseen.pop()
            found[now.id] = now
            sources = [
                (await self.load(definition, one)).aggregate for one in sorted(now.sources - found.keys())
            ]
            unseen += [source for source in sources if source.into == now.id]
        return [*reversed(found.values())]

    async def changes(self, history: History, *, after: int) -> list[tuple[Event, RecordedEvent]]:
        """Return an entity's latest changes after a version, at most `MAX_CHANGES`, in order.

        Raises:
            UnreadableEvent: an event has an unknown shape.
        """
        now = history.aggregate
        if after >= now.version:
            return []
        stream = now.definition.stream(now.id)
        latest = await self._log.latest(stream, after=after, up_to=now.version, limit=MAX_CHANGES)
        pairs = [(MAPPER.to_domain_event(recorded), recorded) for recorded in latest]
        names = await load_actor_names((one.metadata.actor.sub, recorded.moment) for one, recorded in pairs)
        return [(_with_actor_name(one, recorded, names), recorded) for one, recorded in pairs]

    async def undo_target(self, definition: Definition, entity_id: str, version: int) -> UndoTarget | None:
        """Return the event of a version and the later events, for an undo; None: no such version exists.

        Raises:
            UnreadableEvent: an event has an unknown shape.
            InapplicableEvent: an event does not follow.
        """
        before = (await self.load(definition, entity_id, up_to=version - 1)).aggregate
        if before.version != version - 1:
            return None
        target: UndoTarget | None = None
        is_last, at, stream = False, before.version, definition.stream(entity_id)
        while not is_last:
            page = await self._log.page(stream, after=at)
            is_last = page.is_last
            for recorded in page.events:
                event, at = MAPPER.to_domain_event(recorded), recorded.originator_version
                if target is None:
                    details = before.state.details if before.state else {}
                    target = UndoTarget(event, details, recorded.key_id)
                    if event.metadata.undoes is not None:
                        undone = await self._log.page(stream, after=event.metadata.undoes - 1)
                        first = MAPPER.to_domain_event(undone.events[0])
                        target.reverts_merge = other_of_merge(first) is not None
                target.add(definition, event)
        return target

    def cache(self, history: History) -> None:
        """Cache an entity, for the next command, and store a snapshot if one is due."""
        self._cache.put(self._with_snapshot(history))

    def clear_cache(self) -> None:
        """Empty the cache and ignore loads in progress: the log may be replaced, or data erased."""
        self._cache = _Cache(self._cache.max_bytes)

    async def _skip(self, folded: History, up_to: int) -> History | None:
        """Return the newest snapshot, if it is not older than the folded version."""
        now = folded.aggregate
        snapshot = await self._log.snapshot(now.definition.stream(now.id), up_to=up_to)
        if snapshot is None or snapshot.reference.version < now.version:
            return None
        try:
            state = State.of_record(now.definition.name, snapshot.reference.version, snapshot.record)
        except (TypeError, ValueError, LookupError, AttributeError):
            return None  # a record of another shape: fold the stream instead
        aggregate = replace(now.definition.unused(now.id), version=state.version, state=state)
        return History(aggregate, snapshot.reference, folded.key_id)

    def _with_snapshot(self, history: History) -> History:
        """Store a snapshot if one is due and the state has no restriction, which snapshots do not contain."""
        now = history.aggregate
        # Nor does it contain which entities were merged into it.
        is_due = not now.sources and history.bytes_since_snapshot >= SNAPSHOT_BYTES
        if not is_due or history.last is None or now.state is None or now.restriction is not None:
            return history
        snapshot = Snapshot(history.last, now.state.record())
        self._log.add_snapshot(now.definition.stream(now.id), history.key_id, snapshot)
        return history._replace(bytes_since_snapshot=0)


def _after(history: History, events: Iterable[RecordedEvent], up_to: int) -> History:
    for recorded in events:
        if recorded.originator_version > up_to:
            break
        history = history.after(MAPPER.to_domain_event(recorded), recorded)
    return history


def _with_actor_name(event: Event, recorded: RecordedEvent, names: ActorNames) -> Event:
    metadata, actor = event.metadata, event.metadata.actor
    name = names.of(actor.sub, recorded.moment, actor.name).name
    actor = actor.model_copy(update={"name": name or ""})
    return event.model_copy(update={"metadata": metadata.model_copy(update={"actor": actor})})


class _Entry(NamedTuple):
    history: History
    """Without its state."""
    record: bytes | None
    """`State.json`, a tenth of the size of its objects; None: the entity is not registered."""
    times: tuple[datetime, datetime] | None

    @property
    def size(self) -> int:
        return _ENTRY_BYTES + len(self.record or b"")


class _Cache:
    """Entities by stream; the least recently used is dropped first."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._bytes = 0

    def get(self, definition: Definition, entity_id: str) -> History | None:
        stream = definition.stream(entity_id)
        entry = self._entries.get(stream)
        if entry is None:
            return None
        self._entries.move_to_end(stream)
        history, record, times = entry
        if record is None or times is None:
            return history
        aggregate = history.aggregate
        state = State(
            *(definition.name, entity_id, aggregate.version, details_of(pydantic_core.from_json(record))),
            *times,
            is_restricted=aggregate.restriction is not None,
        )
        return history._replace(aggregate=replace(aggregate, state=state))

    def put(self, history: History) -> None:
        aggregate = history.aggregate
        stream = aggregate.definition.stream(aggregate.id)
        stored = self._entries.get(stream)
        if history.last is None or (stored and stored.history.aggregate.version >= aggregate.version):
            return
        self.remove(stream)
        state = aggregate.state
        try:
            record = state.json if state else None
        except ValueError:
            return  # the record has values that JSON does not know: do not cache it
        times = (state.created_at, state.updated_at) if state else None
        entry = _Entry(history._replace(aggregate=replace(aggregate, state=None)), record, times)
        self._entries[stream] = entry
        self._bytes += entry.size
        while self._bytes > self.max_bytes:
            _, oldest = self._entries.popitem(last=False)
            self._bytes -= oldest.size

    def remove(self, stream: str) -> None:
        entry = self._entries.pop(stream, None)
        if entry is not None:
            self._bytes -= entry.size
