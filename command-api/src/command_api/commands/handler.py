"""Load, decide, append: every command takes this way, again if another one came first."""

import asyncio
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple
from weakref import WeakValueDictionary

from command_api import metrics
from command_api.commands.context import CommandContext
from command_api.commands.log import Log
from command_api.commands.reasons import (
    REASONS,
    Invalid,
    NoSuchVersion,
    PreconditionFailed,
    Reason,
    decision_of,
    reason_of,
)
from command_api.commands.streams import History, Past, Streams
from command_api.domain.aggregate import Aggregate, NotRegistered
from command_api.domain.definition import STREAMS, Definition
from command_api.domain.events import Event, EventMetadata
from command_api.domain.undoing import ChangedSince, undo
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import (
    Append,
    Appended,
    Decided,
    Decision,
    LogUnavailable,
    RecordedEvent,
    VersionConflict,
)
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.keys import Key, key_of_fingerprint
from ops.base.encryption.ring import KEYS
from ops.base.encryption.wrapping import KeysUnavailable

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


class IdempotencyMismatch(Exception):
    """The idempotency key was used for another command before."""


class _MadeIdInUse(Exception):
    """An id that was made for a registration is not new."""


class _MovedOn(Exception):
    """More has happened to an entity than was read of it."""


Decide = Callable[[History, EventMetadata], Event | None]
ReadDetails = Callable[[dict[str, Any] | None], dict[str, Any]]
"""Makes of an entity's details, None where it has none, what they are to be; raises `Invalid`."""


class CommandHandler:
    """Carries out commands against the log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._streams = Streams(log)
        # Within a process commands for one stream queue up here rather than conflict in the log.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def forget(self) -> None:
        """Remember no entity: the log may have been replaced, or what they hold erased."""
        self._streams.forget()

    async def register(
        self, definition: Definition, entity_id: str | None, details: dict[str, Any], context: CommandContext
    ) -> CommandResult:
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
            KeysUnavailable: what the entity is sealed under cannot be had now, or was erased.
            ClockJumped: nothing can be recorded at the time that it seems to be.
        """

        def decide(history: History, metadata: EventMetadata) -> Event:
            if entity_id is None and history.aggregate.version:
                raise _MadeIdInUse  # it must be new, not merely free
            return history.aggregate.register(details, metadata)

        while True:
            with suppress(_MadeIdInUse):
                return await self._execute(
                    definition, entity_id or definition.new_id(), context, decide, probably_new=True
                )

    async def save(
        self,
        definition: Definition,
        entity_id: str,
        read: ReadDetails,
        context: CommandContext,
        *,
        may_register: bool,
    ) -> CommandResult:
        """Change an entity, or register it where there is none.

        Args:
            definition: its type.
            entity_id: its id.
            read: makes of what it is what it is to be; of details that are left out, what they are stays.
            context: the command's circumstances.
            may_register: whether it may be one that is not there yet.

        Raises:
            Refused: what it would be is not valid, `If-Match` does not hold, or nothing is registered.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
            KeysUnavailable: what the entity is sealed under cannot be had now, or was erased.
            ClockJumped: nothing can be recorded at the time that it seems to be.
        """

        def decide(history: History, metadata: EventMetadata) -> Event | None:
            aggregate = history.aggregate
            aggregate.require_unrestricted()
            if aggregate.state is None:
                if may_register:
                    return aggregate.register(read(None), metadata)
                return aggregate.change({}, metadata)  # which says why not
            details = read(aggregate.state.details)
            event = aggregate.change({**details, **_left_as_they_are(aggregate, details)}, metadata)
            _require_match(history, context)
            return event

        try:
            return await self._execute(definition, entity_id, context, decide)
        except Refused as refused:
            invalid = isinstance(refused.reason, Invalid) and not refused.reason.errors
            if invalid and refused.withheld is None:
                # It is sent again, and the log has kept that it was not valid, but not what was wrong.
                state = refused.history.aggregate.state
                try:
                    read(None if state is None else state.details)
                except Invalid as reason:
                    refused.reason = reason
            raise

    async def change(
        self, definition: Definition, entity_id: str, details: dict[str, Any], context: CommandContext
    ) -> CommandResult:
        """Change an entity's details; where they are what it has already, nothing is appended.

        Args:
            definition: its type.
            entity_id: its id.
            details: what they are to be; of those that it does not have, what they are stays.
            context: the command's circumstances.

        Raises:
            Refused: nothing is registered under the id, or `If-Match` does not hold.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
            KeysUnavailable: what the entity is sealed under cannot be had now, or was erased.
            ClockJumped: nothing can be recorded at the time that it seems to be.
        """

        return await self.save(definition, entity_id, lambda _: details, context, may_register=False)

    async def remove(self, definition: Definition, entity_id: str, context: CommandContext) -> CommandResult:
        """Remove an entity; where it has been removed already, nothing is appended.

        Raises:
            Refused: the id was never used, or it is there and `If-Match` does not hold; see `decide`.
        """
        return await self.decide(
            definition, entity_id, lambda aggregate, metadata: aggregate.remove(metadata), context
        )

    async def restore(
        self, definition: Definition, entity_id: str, version: int, context: CommandContext
    ) -> CommandResult:
        """Change an entity back to what it was at a version, or register it again as it was then.

        It is a change like any other; where it is like that already, nothing is appended.

        Raises:
            Refused: the id was never used, it had no such version, or `If-Match` does not hold.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
            KeysUnavailable: what the entity is sealed under cannot be had now, or was erased.
            ClockJumped: nothing can be recorded at the time that it seems to be.
        """

        # What was at a version does not change.
        past = await self._streams.load(definition, entity_id, up_to=version)
        then = past.aggregate

        def decide(history: History, metadata: EventMetadata) -> Event | None:
            now = history.aggregate
            if now.version == 0 or now.is_erased:
                raise NotRegistered
            now.require_unrestricted()
            if past.key_id not in (None, history.key_id):
                raise NoSuchVersion  # it was forgotten
            if then.version != version or then.state is None:
                raise NoSuchVersion
            _require_match(history, context)
            details = {**definition.blank_details(), **then.state.details}
            if now.state is None:
                return now.register(details, metadata)
            return now.change(details, metadata)

        return await self._execute(definition, entity_id, context, decide)

    async def undo(
        self,
        definition: Definition,
        entity_id: str,
        version: int,
        keep: Set[str],
        context: CommandContext,
        *,
        permit: Callable[[Event], None],
    ) -> CommandResult:
        """Take back what the event at a version did, by a new one; what came of others since then stays.

        Where they have changed the same since, it is refused as if `If-Match` named the version, unless it
        does name what is now: then whoever sends it has seen that. Where nothing of the event is left,
        nothing is appended.

        Args:
            definition: its type.
            entity_id: its id.
            version: the one that the event has made.
            keep: what of it stays as it is now: fields, and members of such as are objects.
            context: the command's circumstances.
            permit: is given the event, and raises where whoever sends the command must not undo it.

        Raises:
            Refused: see `undoing.undo`; or it had no such version, or `If-Match` does not hold.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
            KeysUnavailable: what the entity is sealed under cannot be had now, or was erased.
            ClockJumped: nothing can be recorded at the time that it seems to be.
        """
        for _ in range(MAX_TRIES):
            past = await self._streams.since(definition, entity_id, version)
            if past is not None:
                permit(past.since.event)

            def decide(history: History, metadata: EventMetadata, past: Past | None = past) -> Event | None:
                now = history.aggregate
                if now.version == 0 or now.is_erased:
                    raise NotRegistered
                now.require_unrestricted()
                if past is None or past.key_id not in (None, history.key_id):  # or it was forgotten
                    raise NoSuchVersion
                if now.version != past.since.version:
                    raise _MovedOn
                _require_match(history, context)
                is_decided = context.if_match is not None and now.version in context.if_match.versions
                try:
                    return undo(now, past.since, keep, metadata, is_decided=is_decided)
                except ChangedSince:
                    raise PreconditionFailed(version) from None

            with suppress(_MovedOn):
                return await self._execute(definition, entity_id, context, decide)
        raise LogUnavailable("other commands always came first")

    async def decide(
        self,
        definition: Definition,
        entity_id: str,
        decide: Callable[[Aggregate, EventMetadata], Event | None],
        context: CommandContext,
    ) -> CommandResult:
        """Have an entity decide something that needs no more than itself; None: nothing is appended.

        Raises:
            Refused: the entity refuses, or it is there and `If-Match` does not hold.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
            KeysUnavailable: what the entity is sealed under cannot be had now, or was erased.
            ClockJumped: nothing can be recorded at the time that it seems to be.
        """

        def decided(history: History, metadata: EventMetadata) -> Event | None:
            event = decide(history.aggregate, metadata)
            if event is not None:
                _require_match(history, context)
            return event

        return await self._execute(definition, entity_id, context, decided)

    async def _execute(
        self,
        definition: Definition,
        entity_id: str,
        context: CommandContext,
        decide: Decide,
        *,
        probably_new: bool = False,
    ) -> CommandResult:
        stream = definition.stream(entity_id)
        if context.is_trial:
            return await self._try(await self._streams.load(definition, entity_id), context, decide)
        lock = self._locks.setdefault(stream, asyncio.Lock())
        async with lock:
            if probably_new:
                # Nothing is read in vain: where the stream is there already, the log refuses the version.
                with suppress(VersionConflict):
                    return await self._append(History(definition.unused(entity_id)), context, decide)
            for _ in range(MAX_TRIES):
                history = await _known(await self._streams.load(definition, entity_id))
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
                    await ACTORS.note(metadata.actor.sub, metadata.actor.name)
                append = Append(
                    context.command_id, (MAPPER.to_stored_event(event, key),), fingerprint=fingerprint
                )
            else:
                decision = _decision(history.aggregate, reason)
                append = Append(context.command_id, decision=decision, fingerprint=fingerprint)
            try:
                kept = await self._log.append(append)
            except VersionConflict:
                _put_back(key, history)
                raise
            if not _is_of(kept, append):
                _put_back(key, history)
                return await self._answer_again(kept, context)
            if event is not None and isinstance(kept, Appended):
                (recorded,) = kept.events
                history = history.after(event, recorded)
                self._streams.remember(history)
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
            key = await KEYS.new()
        return key

    async def _answer_again(self, kept: Appended | Decided, context: CommandContext) -> CommandResult:
        """Answer a repeated command as it was answered first."""
        made: RecordedEvent | Decision
        event = None
        if isinstance(kept, Appended):
            (made,) = await KEYS.give(kept.events)
            reason = None
            event = MAPPER.to_domain_event(made)
            fingerprint: str | None = event.metadata.fingerprint
        else:
            made, reason, fingerprint = kept.decision, reason_of(kept.decision.decision), kept.fingerprint
        if not await _is_fingerprint_of(fingerprint, context.metadata.fingerprint):
            raise IdempotencyMismatch
        metrics.REPEATS.inc()
        entity, _, entity_id = made.originator_id.partition(":")
        history = now = await self._streams.load(STREAMS[entity], entity_id)
        if now.aggregate.version != made.originator_version:
            history = await self._streams.load(STREAMS[entity], entity_id, up_to=made.originator_version)
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
            changes = await self._streams.changes(history, after=reason.known_version)
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


def _left_as_they_are(aggregate: Aggregate, details: dict[str, Any]) -> dict[str, Any]:
    """Return the details that some do not have, as they are."""
    now = {} if aggregate.state is None else aggregate.state.details
    return {name: now.get(name) for name in aggregate.definition.fields if name not in details}


async def _is_fingerprint_of(kept: str | None, fingerprint: str) -> bool:
    """Tell whether what was kept of a command says that it was this one."""
    key_id = key_of_fingerprint(kept or "")
    if key_id is None:
        return kept == fingerprint
    await KEYS.load([key_id])
    key = KEYS.get(key_id)
    return key is not None and kept == key.fingerprint(fingerprint)


def _decision(aggregate: Aggregate, reason: Reason | None) -> Decision:
    """Return what the log is to hold of a command that appends nothing."""
    stream = aggregate.definition.stream(aggregate.id)
    return Decision(stream, aggregate.version, decision_of(reason))


def _is_of(kept: Appended | Decided, append: Append) -> bool:
    """Tell whether an outcome is what was to be appended now, rather than what an earlier request led to."""
    if isinstance(kept, Decided):
        return (kept.decision, kept.fingerprint) == (append.decision, append.fingerprint)
    return [(event.originator_id, event.state) for event in kept.events] == [
        (event.originator_id, event.state) for event in append.events
    ]


def _require_match(history: History, context: CommandContext) -> None:
    version = history.aggregate.version
    if context.if_match is not None and not context.if_match.allows(version):
        raise PreconditionFailed(context.if_match.known_version(version))
