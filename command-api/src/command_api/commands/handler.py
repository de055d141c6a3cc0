"""Load, decide, append: every command takes this way, again if another one came first."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakValueDictionary

from command_api import metrics
from command_api.commands.context import CommandContext
from command_api.domain.aggregate import Aggregate, AlreadyRegistered, NotRegistered
from command_api.domain.catalogue import DEFINITIONS, Definition, decode
from command_api.domain.events import Event
from command_api.event_store.log import EventLog
from command_api.event_store.records import (
    Append,
    LogUnavailable,
    NewEvent,
    RecordedEvent,
    VersionConflict,
)

MAX_TRIES: Final = 100


@dataclass(frozen=True)
class History:
    """A stream as it was loaded."""

    aggregate: Aggregate
    events: tuple[tuple[Event, RecordedEvent], ...]

    def at(self, version: int) -> Aggregate:
        """Return the aggregate as it was at a version."""
        aggregate = Aggregate(self.aggregate.definition, self.aggregate.id)
        for event, recorded in self.events:
            if event.originator_version <= version:
                aggregate = aggregate.after(event, recorded.moment)
        return aggregate

    @property
    def position(self) -> int:
        """The position of its last event, or 0."""
        return self.events[-1][1].position if self.events else 0


@dataclass(frozen=True)
class Outcome:
    """What a command led to."""

    aggregate: Aggregate
    position: int
    """The log's position at which a reader sees it."""


class NoSuchVersion(Exception):
    """The entity never had the version that it should be brought back to, or was removed by it."""


class PreconditionFailed(Exception):
    """The entity has changed since the version that the client builds on.

    Attributes:
        known_version: that version; None: it is another log's, and nothing is known of it.
    """

    def __init__(self, known_version: int | None) -> None:
        super().__init__("the entity has changed")
        self.known_version = known_version


Reason = AlreadyRegistered | NotRegistered | NoSuchVersion | PreconditionFailed


class Refused(Exception):
    """What has happened to the entity stands against the command."""

    def __init__(self, reason: Reason, history: History) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.history = history


class IdempotencyMismatch(Exception):
    """The idempotency key was used for another command before."""


Decide = Callable[[History], Event | None]


class CommandHandler:
    """Carries out commands against the log."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        # Within a process commands for one stream queue up here rather than conflict in the log.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def register(
        self, definition: Definition, entity_id: str | None, details: dict[str, Any], context: CommandContext
    ) -> Outcome:
        """Register an entity.

        Args:
            definition: its type.
            entity_id: its id; None: one is made.
            details: its validated details.
            context: the command's circumstances.

        Raises:
            Refused: the id is in use.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
        """

        def decide(history: History) -> Event:
            if entity_id is None and history.aggregate.version:
                raise AlreadyRegistered  # a made id must be new, not merely free
            return history.aggregate.register(details, context.metadata)

        while True:
            try:
                return await self._execute(
                    definition, entity_id or definition.new_id(), context, decide, probably_new=True
                )
            except Refused:
                if entity_id is not None:
                    raise

    async def change(
        self, definition: Definition, entity_id: str, details: dict[str, Any], context: CommandContext
    ) -> Outcome:
        """Change an entity's details; where they are what it has already, nothing is appended.

        Raises:
            Refused: nothing is registered under the id, or `If-Match` does not hold.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
        """

        def decide(history: History) -> Event | None:
            event = history.aggregate.change(details, context.metadata)
            _require_match(history, context)
            return event

        return await self._execute(definition, entity_id, context, decide)

    async def remove(self, definition: Definition, entity_id: str, context: CommandContext) -> Outcome:
        """Remove an entity; where it has been removed already, nothing is appended.

        Raises:
            Refused: the id was never used, or it is there and `If-Match` does not hold.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
        """

        def decide(history: History) -> Event | None:
            event = history.aggregate.remove(context.metadata)
            if event is not None:
                _require_match(history, context)
            return event

        return await self._execute(definition, entity_id, context, decide)

    async def restore(
        self, definition: Definition, entity_id: str, version: int, context: CommandContext
    ) -> Outcome:
        """Change an entity back to what it was at a version, or register it again as it was then.

        It is a change like any other; where it is like that already, nothing is appended.

        Raises:
            Refused: the id was never used, it had no such version, or `If-Match` does not hold.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
        """

        def decide(history: History) -> Event | None:
            now, then = history.aggregate, history.at(version)
            if now.version == 0:
                raise NotRegistered
            if then.version != version or then.state is None:
                raise NoSuchVersion
            _require_match(history, context)
            details = {**definition.blank_details(), **then.state.details}
            if now.state is None:
                return now.register(details, context.metadata)
            return now.change(details, context.metadata)

        return await self._execute(definition, entity_id, context, decide)

    async def _execute(
        self,
        definition: Definition,
        entity_id: str,
        context: CommandContext,
        decide: Decide,
        *,
        probably_new: bool = False,
    ) -> Outcome:
        stream = definition.stream(entity_id)
        lock = self._locks.setdefault(stream, asyncio.Lock())
        async with lock:
            if probably_new:
                # Nothing is read in vain: where the stream is there already, the log refuses the version.
                with suppress(VersionConflict):
                    return await self._append(History(Aggregate(definition, entity_id), ()), context, decide)
            if context.may_be_repeat and (made := await self._log.of_command(context.command_id)):
                return await self._answer_again(made, context)
            for _ in range(MAX_TRIES):
                history = await self._load(definition, entity_id)
                with suppress(VersionConflict):
                    return await self._append(history, context, decide)
                metrics.RETRIED.inc()
        raise LogUnavailable("other commands always came first")

    async def _append(self, history: History, context: CommandContext, decide: Decide) -> Outcome:
        try:
            event = decide(history)
        except (AlreadyRegistered, NotRegistered, NoSuchVersion, PreconditionFailed) as reason:
            if isinstance(reason, PreconditionFailed):
                metrics.REFUSED.inc()
            raise Refused(reason, history) from None
        if event is None:
            return Outcome(history.aggregate, history.position)
        new = NewEvent(event.originator_id, event.originator_version, event.type, event.state())
        appended = await self._log.append(Append(context.command_id, (new,)))
        (recorded,) = appended.events
        if recorded.state != new.state or recorded.originator_id != new.originator_id:
            return await self._answer_again(recorded, context)
        return Outcome(history.aggregate.after(event, recorded.moment), recorded.position)

    async def _answer_again(self, made: RecordedEvent, context: CommandContext) -> Outcome:
        """Answer a repeated command from the event that it made."""
        event = _decode(made)
        if event.metadata.fingerprint != context.metadata.fingerprint:
            raise IdempotencyMismatch
        metrics.REPEATS.inc()
        history = await self._load(DEFINITIONS[event.entity], event.entity_id, up_to=event.originator_version)
        return Outcome(history.aggregate, made.position)

    async def _load(self, definition: Definition, entity_id: str, *, up_to: int | None = None) -> History:
        aggregate = Aggregate(definition, entity_id)
        events: list[tuple[Event, RecordedEvent]] = []
        for recorded in await self._log.stream(definition.stream(entity_id)):
            if up_to is not None and recorded.originator_version > up_to:
                break
            event = _decode(recorded)
            aggregate = aggregate.after(event, recorded.moment)
            events.append((event, recorded))
        return History(aggregate, tuple(events))


def _decode(recorded: RecordedEvent) -> Event:
    return decode(
        recorded.topic,
        recorded.state,
        originator_id=recorded.originator_id,
        version=recorded.originator_version,
    )


def _require_match(history: History, context: CommandContext) -> None:
    version = history.aggregate.version
    if context.if_match is not None and not context.if_match.allows(version):
        raise PreconditionFailed(context.if_match.known_version(version))
