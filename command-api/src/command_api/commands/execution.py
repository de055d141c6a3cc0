"""Executes a decision: load the stream, decide, append; again if another command came first."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Literal, NamedTuple
from weakref import WeakValueDictionary

from command_api import metrics
from command_api.commands.context import CommandContext
from command_api.commands.idempotency import first_outcome, is_outcome_of, kept_decision
from command_api.commands.log import Log
from command_api.commands.reasons import REASONS, PreconditionFailed, Reason
from command_api.commands.streams import History, Streams
from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import STREAMS, Definition
from command_api.domain.events import Event, EventMetadata
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import (
    Append,
    Appended,
    Decided,
    LogUnavailable,
    RecordedEvent,
    VersionConflict,
)
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.keys import Key

MAX_TRIES: Final = 100

Withheld = Literal["restricted", "erased"]
"""What has become of a record since a command: the outcome is told still, and nothing personal with it."""


class CommandResult(NamedTuple):
    """What a command led to."""

    aggregate: Aggregate
    position: int
    """The log's position at which a reader sees it."""
    withheld: Withheld | None = None
    event: Event | None = None
    """What was appended, or would be; None: nothing had to be."""
    is_appended: bool = False
    """Whether this request has appended the event: not if it is a retry, or a trial."""

    @property
    def made(self) -> int | None:
        """The version that the command has made; None: it has changed nothing."""
        return None if self.event is None else self.event.originator_version


class Refused(Exception):
    """What has happened to the entity stands against the command."""

    def __init__(
        self,
        reason: Reason,
        history: History,
        changes: Sequence[tuple[Event, RecordedEvent]] = (),
        withheld: Withheld | None = None,
    ) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.history = history
        self.changes = changes
        """The latest that came after the version that a failed condition builds on."""
        self.withheld = withheld


Decide = Callable[[History, EventMetadata], Event | None]


class Execution:
    """Executes decisions against the log, one at a time per stream within a process."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.streams = Streams(log)
        # Within a process commands for one stream queue up here instead of conflicting in the log.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def execute(
        self,
        definition: Definition,
        entity_id: str,
        context: CommandContext,
        decide: Decide,
        *,
        probably_new: bool = False,
    ) -> CommandResult:
        """Execute a command.

        Args:
            definition: the entity's type.
            entity_id: its id.
            context: the command's circumstances.
            decide: returns the event, or None if nothing is to be appended; raises one of `REASONS`.
            probably_new: try first as if the stream were empty, without reading it.

        Raises:
            Refused: the decision refuses the command.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
            KeysUnavailable: the entity's key is not available now, or was erased.
            ClockJumped: the current time cannot be recorded.
        """
        stream = definition.stream(entity_id)
        if context.is_trial:
            return await self._try(await self.streams.load(definition, entity_id), context, decide)
        lock = self._locks.setdefault(stream, asyncio.Lock())
        async with lock:
            if probably_new:
                # Nothing is read in vain: where the stream is there already, the log refuses the version.
                with suppress(VersionConflict):
                    return await self._append(History(definition.unused(entity_id)), context, decide)
            for _ in range(MAX_TRIES):
                history = await _known(await self.streams.load(definition, entity_id))
                with suppress(VersionConflict):
                    return await self._append(history, context, decide)
                metrics.RETRIED.inc()
        raise LogUnavailable("other commands always came first")

    async def _try(self, history: History, context: CommandContext, decide: Decide) -> CommandResult:
        try:
            event = decide(history, context.metadata)
        except REASONS as reason:
            return await self._without_event(history, reason)
        return CommandResult(history.aggregate, history.position, event=event)

    async def _append(self, history: History, context: CommandContext, decide: Decide) -> CommandResult:
        key = await self._key_of(history)
        metadata = context.metadata
        if key is not None and context.may_be_repeat:
            metadata = metadata.model_copy(update={"fingerprint": key.fingerprint(metadata.fingerprint)})
        event, reason = None, None
        try:
            event = decide(history, metadata)
        except REASONS as refusal:
            reason = refusal
        if event is not None or context.may_be_repeat:
            fingerprint = metadata.fingerprint if context.may_be_repeat else None
            if event is not None:
                if key is not None:
                    await ACTORS.record(metadata.actor.sub, metadata.actor.name)
                append = Append(
                    context.command_id, (MAPPER.to_stored_event(event, key),), fingerprint=fingerprint
                )
            else:
                decision = kept_decision(history.aggregate, reason)
                append = Append(context.command_id, decision=decision, fingerprint=fingerprint)
            try:
                kept = await self._log.append(append)
            except VersionConflict:
                _put_back(key, history)
                raise
            if not is_outcome_of(kept, append):
                _put_back(key, history)
                return await self._answer_again(kept, context)
            if event is not None and isinstance(kept, Appended):
                (recorded,) = kept.events
                history = history.after(event, recorded)
                self.streams.remember(history)
                return CommandResult(history.aggregate, history.position, event=event, is_appended=True)
        else:
            _put_back(key, history)
        if isinstance(reason, PreconditionFailed):
            metrics.REFUSED.inc()
        return await self._without_event(history, reason)

    async def _key_of(self, history: History) -> Key | None:
        """Return what an entity's next event is sealed under; None: nothing is.

        Who is registered again after their key was erased is somebody new.

        Raises:
            KeysUnavailable: it cannot be had now.
        """
        key = None
        if history.key_id is not None:
            await KEYS.load([history.key_id])
            key = KEYS.get(history.key_id)
            if key is None and not history.aggregate.may_have_another_key:
                raise KeysUnavailable(f"{history.key_id} was erased, or is in another key store")
        if key is None and KEYS.seals:
            key = await KEYS.issue()
        return key

    async def _answer_again(self, kept: Appended | Decided, context: CommandContext) -> CommandResult:
        """Answer a retried command as the first time."""
        made, reason, event = await first_outcome(kept, context.metadata.fingerprint)
        metrics.REPEATS.inc()
        entity, _, entity_id = made.originator_id.partition(":")
        history = now = await self.streams.load(STREAMS[entity], entity_id)
        if now.aggregate.version != made.originator_version:
            history = await self.streams.load(STREAMS[entity], entity_id, up_to=made.originator_version)
        return await self._without_event(history, reason, now, event)

    async def _without_event(
        self,
        history: History,
        reason: Reason | None,
        now: History | None = None,
        event: Event | None = None,
    ) -> CommandResult:
        """Return the outcome of a command that has appended nothing.

        Args:
            history: the entity as the command was decided on.
            reason: why the command was refused; None: it was not.
            now: the current history, if the command was decided earlier.
            event: the event that an earlier request has appended.

        Raises:
            Refused: the command was refused.
        """
        withheld = _withheld(history, now or history)
        if reason is None:
            return CommandResult(history.aggregate, history.position, withheld, event)
        if isinstance(reason, PreconditionFailed) and reason.known_version is not None:
            changes = await self.streams.changes(history, after=reason.known_version)
            raise Refused(reason, history, changes, withheld)
        raise Refused(reason, history, withheld=withheld)


def _withheld(then: History, now: History) -> Withheld | None:
    """Tell why nothing personal of an outcome may be shown any more."""
    if now.aggregate.is_erased or then.key_id not in (None, now.key_id):
        return "erased"
    return None if now.aggregate.restriction is None else "restricted"


async def _known(history: History) -> History:
    """Return a history with the key that something is known under before its first event."""
    aggregate = history.aggregate
    if history.key_id is not None or not aggregate.may_be_unused or aggregate.is_erased:
        return history
    return history._replace(key_id=await ACTORS.key_id_of(aggregate.id))


def _put_back(key: Key | None, history: History) -> None:
    """Let others have a key that was made for an entity, and that nothing of it was sealed under."""
    if key is not None and key.id != history.key_id:
        KEYS.put_back(key)
