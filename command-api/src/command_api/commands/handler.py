"""Load, decide, append: every command takes this way, again if another one came first."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakValueDictionary

from command_api import metrics
from command_api.commands.context import CommandContext
from command_api.commands.reasons import NoSuchVersion, PreconditionFailed, Reason, decision_of, reason_of
from command_api.domain.aggregate import Aggregate, AlreadyRegistered, NotRegistered
from command_api.domain.catalogue import DEFINITIONS, Definition, decode
from command_api.domain.events import Event
from command_api.event_store.log import EventLog
from command_api.event_store.records import (
    Append,
    Appended,
    Decided,
    Decision,
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


class Refused(Exception):
    """What has happened to the entity stands against the command."""

    def __init__(self, reason: Reason, history: History) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.history = history


class IdempotencyMismatch(Exception):
    """The idempotency key was used for another command before."""


class _MadeIdInUse(Exception):
    """An id that was made for a registration is not new."""


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
            ClockJumped: nothing can be recorded at the time that it seems to be.
        """

        def decide(history: History) -> Event:
            if entity_id is None and history.aggregate.version:
                raise _MadeIdInUse  # it must be new, not merely free
            return history.aggregate.register(details, context.metadata)

        while True:
            with suppress(_MadeIdInUse):
                return await self._execute(
                    definition, entity_id or definition.new_id(), context, decide, probably_new=True
                )

    async def change(
        self, definition: Definition, entity_id: str, details: dict[str, Any], context: CommandContext
    ) -> Outcome:
        """Change an entity's details; where they are what it has already, nothing is appended.

        Raises:
            Refused: nothing is registered under the id, or `If-Match` does not hold.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
            ClockJumped: nothing can be recorded at the time that it seems to be.
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
            ClockJumped: nothing can be recorded at the time that it seems to be.
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
            ClockJumped: nothing can be recorded at the time that it seems to be.
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
            for _ in range(MAX_TRIES):
                history = await self._load(definition, entity_id)
                with suppress(VersionConflict):
                    return await self._append(history, context, decide)
                metrics.RETRIED.inc()
        raise LogUnavailable("other commands always came first")

    async def _append(self, history: History, context: CommandContext, decide: Decide) -> Outcome:
        event, reason = None, None
        try:
            event = decide(history)
        except (AlreadyRegistered, NotRegistered, NoSuchVersion, PreconditionFailed) as refusal:
            reason = refusal
        if event is not None or context.may_be_repeat:
            append = _to_append(history, context, event, reason)
            kept = await self._log.append(append)
            if not _is_of(kept, append):
                return await self._answer_again(kept, context)
            if event is not None and isinstance(kept, Appended):
                (recorded,) = kept.events
                return Outcome(history.aggregate.after(event, recorded.moment), recorded.position)
        if isinstance(reason, PreconditionFailed):
            metrics.REFUSED.inc()
        return _without_event(history, reason)

    async def _answer_again(self, kept: Appended | Decided, context: CommandContext) -> Outcome:
        """Answer a repeated command as it was answered first."""
        made: RecordedEvent | Decision
        if isinstance(kept, Appended):
            made, reason = kept.events[0], None
            fingerprint: str | None = _decode(made).metadata.fingerprint
        else:
            made, reason, fingerprint = kept.decision, reason_of(kept.decision.decision), kept.fingerprint
        if fingerprint != context.metadata.fingerprint:
            raise IdempotencyMismatch
        metrics.REPEATS.inc()
        entity, _, entity_id = made.originator_id.partition(":")
        history = await self._load(DEFINITIONS[entity], entity_id, up_to=made.originator_version)
        return _without_event(history, reason)

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


def _to_append(
    history: History, context: CommandContext, event: Event | None, reason: Reason | None
) -> Append:
    """Return what the log is to hold of a command: its event, or what was decided instead."""
    fingerprint = context.metadata.fingerprint if context.may_be_repeat else None
    if event is None:
        aggregate = history.aggregate
        stream = aggregate.definition.stream(aggregate.id)
        decision = Decision(stream, aggregate.version, decision_of(reason))
        return Append(context.command_id, decision=decision, fingerprint=fingerprint)
    new = NewEvent(event.originator_id, event.originator_version, event.type, event.state())
    return Append(context.command_id, (new,), fingerprint=fingerprint)


def _is_of(kept: Appended | Decided, append: Append) -> bool:
    """Tell whether an outcome is what was to be appended now, rather than what an earlier request led to."""
    if isinstance(kept, Decided):
        return (kept.decision, kept.fingerprint) == (append.decision, append.fingerprint)
    return [(event.originator_id, event.state) for event in kept.events] == [
        (event.originator_id, event.state) for event in append.events
    ]


def _without_event(history: History, reason: Reason | None) -> Outcome:
    if reason is not None:
        raise Refused(reason, history)
    return Outcome(history.aggregate, history.position)


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
