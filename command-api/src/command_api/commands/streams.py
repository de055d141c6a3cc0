"""What commands decide on: an entity as its stream says, of which only what is not known yet is read."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

import pydantic_core

from command_api.commands.log import Log
from command_api.domain.aggregate import Aggregate, Restriction
from command_api.domain.definition import Definition
from command_api.domain.events import Event
from command_api.domain.state import State, details_of
from command_api.domain.undo import UndoTarget
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import MAX_VERSION, Place, RecordedEvent
from ops.base.encryption.actor_names import ActorNames, load_actor_names

REMEMBERED_BYTES: Final = 16 * 1024 * 1024
"""Of all that is remembered together; the entity that no command came to for the longest goes first."""
_ENTRY_BYTES: Final = 500
"""What an entry takes beside its details, or more."""

MOST_CHANGES: Final = 100
"""Told of an entity, at most; they are fewer where they are large."""


class History(NamedTuple):
    """What a stream has come to at one of its versions."""

    aggregate: Aggregate
    last: Place | None = None
    """Its last event; None: it has none."""
    key_id: str | None = None
    """The id of the key that it is sealed under; None: it has none yet."""

    @property
    def position(self) -> int:
        """The position of its last event, or 0."""
        return self.last.position if self.last else 0

    def after(self, event: Event, recorded: RecordedEvent) -> "History":
        """Return what it has come to after its next event."""
        aggregate = self.aggregate.after(event, recorded.moment)
        # Who is registered after all was forgotten is somebody new.
        key_id = None if aggregate.is_erased else recorded.key_id or self.key_id
        return History(aggregate, recorded.place, key_id)


class Streams:
    """The log's streams, folded.

    What was folded once is remembered and gone on from, if the log still has that last event where it was. A
    long stream that is not remembered is gone on from a snapshot, if the log has its last event where the
    snapshot says; where there is none, it is folded a stretch at a time.
    """

    def __init__(self, log: Log, *, remembered_bytes: int = REMEMBERED_BYTES) -> None:
        """Prepare to read.

        Args:
            log: where from.
            remembered_bytes: how much to remember.
        """
        self._log = log
        self._remembered = _Remembered(remembered_bytes)

    async def load(self, definition: Definition, entity_id: str, *, up_to: int = MAX_VERSION) -> History:
        """Return what an entity is now, or was at a version; less where it never came so far.

        Raises:
            UnreadableEvent: an event is of no known shape.
            InapplicableEvent: an event does not follow.
        """
        stream = definition.stream(entity_id)
        folded = begun = History(definition.unused(entity_id))
        remembered = self._remembered
        known = remembered.get(definition, entity_id)
        if known is not None and known.aggregate.version <= up_to:
            begun = known
        may_skip = True
        while True:
            stretch = await self._log.stretch(stream, after=begun.aggregate.version)
            if begun.last is not None and not begun.last.is_same(stretch.before):
                # The log was replaced, or somebody has changed it.
                remembered.forget(stream)
                begun = folded
                continue
            key_id = None if begun.aggregate.is_erased else stretch.key_before or begun.key_id
            at = begun._replace(last=stretch.before, key_id=key_id)
            folded = _after(at, stretch.events, up_to)
            remembered.put(folded)
            version = folded.aggregate.version
            if stretch.is_last or version == up_to:
                return folded
            begun = folded
            if may_skip:
                may_skip = False
                begun = await self._skip(folded, up_to) or folded

    async def changes(self, history: History, *, after: int) -> list[tuple[Event, RecordedEvent]]:
        """Return an entity's latest changes since a version: at most `MOST_CHANGES`, in their order.

        Args:
            history: the entity.
            after: the version.

        Raises:
            UnreadableEvent: an event is of no known shape.
        """
        now = history.aggregate
        if after >= now.version:
            return []
        stream = now.definition.stream(now.id)
        latest = await self._log.latest(stream, after=after, up_to=now.version, limit=MOST_CHANGES)
        events = [MAPPER.to_domain_event(recorded) for recorded in latest]
        pairs = list(zip(events, latest, strict=True))
        names = await load_actor_names((one.metadata.actor.sub, recorded.moment) for one, recorded in pairs)
        return [(_named(one, recorded, names), recorded) for one, recorded in pairs]

    async def undo_target(self, definition: Definition, entity_id: str, version: int) -> UndoTarget | None:
        """Return the event that made a version, and what came after it; None: there is no such version.

        Raises:
            UnreadableEvent: an event is of no known shape.
            InapplicableEvent: an event does not follow.
        """
        before = (await self.load(definition, entity_id, up_to=version - 1)).aggregate
        if before.version != version - 1:
            return None
        target: UndoTarget | None = None
        is_last, at = False, before.version
        while not is_last:
            stretch = await self._log.stretch(definition.stream(entity_id), after=at)
            is_last = stretch.is_last
            for recorded in stretch.events:
                event, at = MAPPER.to_domain_event(recorded), recorded.originator_version
                if target is None:
                    details = before.state.details if before.state else {}
                    target = UndoTarget(event, details, recorded.key_id)
                target.add(definition, event)
        return target

    def remember(self, history: History) -> None:
        """Go on from here the next time."""
        self._remembered.put(history)

    def forget(self) -> None:
        """Remember nothing: it may be of a log that is gone, or erased; nor what is read just now."""
        self._remembered = _Remembered(self._remembered.most_bytes)

    async def _skip(self, folded: History, up_to: int) -> History | None:
        """Return the newest state that others know of, if that is further on."""
        now = folded.aggregate
        snapshot = await self._log.snapshot(now.definition.name, now.id, up_to=up_to)
        if snapshot is None or snapshot.place.version <= now.version:
            return None
        try:
            state = State.of_record(now.definition.name, snapshot.place.version, snapshot.named)
        except (TypeError, ValueError, LookupError, AttributeError):
            return None  # a record of another shape: the log tells as well
        skipped = replace(now, version=state.version, state=state)
        return History(skipped, snapshot.place, folded.key_id)


def _after(history: History, events: Iterable[RecordedEvent], up_to: int) -> History:
    for recorded in events:
        if recorded.originator_version > up_to:
            break
        history = history.after(MAPPER.to_domain_event(recorded), recorded)
    return history


def _named(event: Event, recorded: RecordedEvent, names: ActorNames) -> Event:
    metadata = event.metadata
    actor = metadata.actor
    name = names.of(actor.sub, recorded.moment, actor.name).name
    actor = actor.model_copy(update={"name": name or ""})
    return event.model_copy(update={"metadata": metadata.model_copy(update={"actor": actor})})


class _Entry(NamedTuple):
    last: Place
    key_id: str | None
    record: bytes | None
    """`State.json`, which takes a tenth of what its objects do; None: nothing is registered."""
    created_at: datetime
    updated_at: datetime
    restriction: Restriction | None
    is_erased: bool

    @property
    def size(self) -> int:
        return _ENTRY_BYTES + len(self.record or b"")


class _Remembered:
    """Entities by their streams, within a bound."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._bytes = 0

    def get(self, definition: Definition, entity_id: str) -> History | None:
        stream = definition.stream(entity_id)
        entry = self._entries.get(stream)
        if entry is None:
            return None
        self._entries.move_to_end(stream)
        state = None
        if entry.record is not None:
            details = details_of(pydantic_core.from_json(entry.record))
            times = entry.created_at, entry.updated_at
            is_restricted = entry.restriction is not None
            state = State(
                definition.name, entity_id, entry.last.version, details, *times, is_restricted=is_restricted
            )
        version, restriction = entry.last.version, entry.restriction
        aggregate = definition.aggregate(definition, entity_id, version, state, restriction, entry.is_erased)
        return History(aggregate, entry.last, entry.key_id)

    def put(self, history: History) -> None:
        aggregate, last = history.aggregate, history.last
        stream = aggregate.definition.stream(aggregate.id)
        kept = self._entries.get(stream)
        if last is None or (kept is not None and kept.last.version >= last.version):
            return
        self.forget(stream)
        state = aggregate.state
        try:
            record = state.json if state else None
        except ValueError:
            return  # it has what JSON has not: it is read again
        entry = _Entry(
            last,
            history.key_id,
            record,
            state.created_at if state else last.moment,
            state.updated_at if state else last.moment,
            aggregate.restriction,
            aggregate.is_erased,
        )
        self._entries[stream] = entry
        self._bytes += entry.size
        while self._bytes > self.most_bytes:
            _, oldest = self._entries.popitem(last=False)
            self._bytes -= oldest.size

    def forget(self, stream: str) -> None:
        entry = self._entries.pop(stream, None)
        if entry is not None:
            self._bytes -= entry.size
