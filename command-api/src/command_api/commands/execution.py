"""Execution of a command: load the stream, decide, append; and again if another command came first."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple
from weakref import WeakValueDictionary

from command_api import metrics
from command_api.commands.context import CommandContext
from command_api.commands.reasons import (
    REASONS,
    Duplicate,
    IdempotencyMismatch,
    PreconditionFailed,
    Reason,
    decode_reason,
    encode_reason,
)
from command_api.commands.streams import History, Streams
from command_api.commands.unique_values import NOT_MERGED, FormerIds, UniqueValues, duplicate
from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import STREAMS, Definition
from command_api.domain.events import Erased, Event, EventMetadata
from command_api.domain.references import Reference, new_references, require_assignable
from command_api.event_store.log import EventLog
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import (
    AppendedEvents,
    AppendRequest,
    Decision,
    LogUnavailable,
    RecordedDecision,
    RecordedEvent,
    UniqueKeyChanged,
    UniqueValuesUnavailable,
    ValueTaken,
    VersionConflict,
)
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.keys import Key, key_of_fingerprint

MAX_TRIES: Final = 100

MaskReason = Literal["restricted", "erased"]
"""Why an outcome masks personal data: the record's data was restricted or erased since the command."""


class CommandResult(NamedTuple):
    """Result of an accepted command."""

    aggregate: Aggregate
    position: int
    """The log position at which queries show the result."""
    mask_reason: MaskReason | None = None
    event: Event | None = None
    """The event that was appended, or would be in a dry run; None: nothing had to change."""
    is_appended: bool = False
    """Whether this request appended the event: false for a retry and for a dry run."""
    claimed: Mapping[str, bytes] = {}
    """Of a dry run, the hashes of the unique values that the event claims, by field."""


class CommandRefused(Exception):
    """The state of the entity does not allow the command."""

    def __init__(
        self,
        reason: Reason,
        history: History,
        changes: Sequence[tuple[Event, RecordedEvent]] = (),
        mask_reason: MaskReason | None = None,
    ) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.history = history
        self.changes = changes
        """The latest changes after the version of a failed precondition."""
        self.mask_reason = mask_reason


Decide = Callable[[History, EventMetadata], Event | None]
DecideTogether = Callable[[Sequence[History], EventMetadata], Sequence[Event | None]]
"""Returns the event, or None, for each entity, of which the last has one; empty to append nothing."""


class _Decided(NamedTuple):
    """An event that was decided, with the entity before it and the key that encrypts it."""

    history: History
    key: Key
    event: Event


class Execution:
    """Executes decisions against the log, one at a time per stream within a process."""

    def __init__(
        self, log: EventLog, *, shared: Collection[str] = (), warnings: Collection[str] = ()
    ) -> None:
        """Execute commands against a log.

        Args:
            shared: see `UniqueValues`.
            warnings: see `references.require_assignable`.
        """
        self._log = log
        self._warnings = warnings
        self.streams = Streams(log)
        self.unique = UniqueValues(log, shared=shared)
        # Commands for one stream wait here instead of conflicting in the log.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def execute(
        self,
        definition: Definition,
        entity_id: str,
        context: CommandContext,
        decide: Decide,
        *,
        assume_new: bool = False,
    ) -> CommandResult:
        """Execute a command.

        Args:
            decide: returns the event, or None to append nothing; raises one of `REASONS`.
            assume_new: try an empty stream first, without reading.

        Raises:
            CommandRefused: the decision refuses the command.
            IdempotencyMismatch: the key belongs to another command.
            LogUnavailable: the log could not be reached in time.
            KeysUnavailable: the entity's key is unavailable, or was erased.
            ClockJumped: the current time cannot be recorded.
            UniqueValuesUnavailable: it claims unique values, and they are being refilled.
        """

        def decided(histories: Sequence[History], metadata: EventMetadata) -> Sequence[Event]:
            event = decide(histories[-1], metadata)
            return (event,) if event is not None else ()

        return await self.execute_together(definition, [entity_id], context, decided, assume_new=assume_new)

    async def execute_together(
        self,
        definition: Definition,
        entity_ids: Sequence[str],
        context: CommandContext,
        decide: DecideTogether,
        *,
        assume_new: bool = False,
    ) -> CommandResult:
        """Execute a command for several entities of a type; all its events are appended, or none.

        The command is the last entity's: the result and the log's record of a refusal are of that entity.
        """
        if context.is_dry_run:
            histories = [await self.streams.load(definition, one) for one in entity_ids]
            history = histories[-1]
            try:
                events = decide(histories, context.metadata)
                each = zip(histories, events, strict=bool(events))
                pairs = [(one.aggregate, event) for one, event in each if event is not None]
                _, former = await self._check_references(pairs)
                claimed = await self.unique.require_free(pairs, former)
            except REASONS as reason:
                return await self._without_event(history, reason)
            event = events[-1] if events else None
            return CommandResult(history.aggregate, history.position, event=event, claimed=claimed)
        async with AsyncExitStack() as stack:
            for stream in sorted(map(definition.stream, entity_ids)):  # one order, to avoid deadlocks
                await stack.enter_async_context(self._locks.setdefault(stream, asyncio.Lock()))
            if assume_new:
                # If the stream exists, the log refuses the version.
                with suppress(VersionConflict, UniqueKeyChanged):
                    unused = [History(definition.unused(one)) for one in entity_ids]
                    return await self._append(unused, context, decide)
            for _ in range(MAX_TRIES):
                histories = [
                    await _with_actor_key(await self.streams.load(definition, one)) for one in entity_ids
                ]
                with suppress(VersionConflict, UniqueKeyChanged):
                    return await self._append(histories, context, decide)
                metrics.RETRIED.inc()
        raise LogUnavailable("other commands always came first")

    async def _append(
        self, histories: Sequence[History], context: CommandContext, decide: DecideTogether
    ) -> CommandResult:
        history = histories[-1]
        keys = [await self._key_of(one) for one in histories]
        metadata = context.metadata
        if context.is_repeatable:
            fingerprint = keys[-1].fingerprint(metadata.fingerprint)
            metadata = metadata.model_copy(update={"fingerprint": fingerprint})
        decided: list[_Decided] = []
        known: Mapping[str, int] = {}
        former = NOT_MERGED
        reason: Reason | None = None
        try:
            events = decide(histories, metadata)
            each = zip(histories, keys, events or [None] * len(keys), strict=True)
            found = [_Decided(one, key, event) for one, key, event in each if event is not None]
            known, former = await self._check_references(
                [(one.history.aggregate, one.event) for one in found]
            )
            decided = found
        except REASONS as refusal:
            reason = refusal
        if not decided and not context.is_repeatable:
            _put_back(keys, histories)
            return await self._refused(history, reason)
        request: AppendRequest | None = None
        try:
            unique = await self.unique.changes_of(
                [(one.history.aggregate, one.event) for one in decided], former
            )
            request = await self._request(history, context, metadata, decided, reason)
            request = request._replace(unique=tuple(unique), known=tuple(known.items()))
            outcome = await self._log.append(request)
        except (VersionConflict, UniqueKeyChanged, UniqueValuesUnavailable, ValueTaken, Duplicate) as error:
            _put_back(keys, histories)
            return await self._append(histories, context, _refusing(self._duplicate(error, request)))
        if not _is_outcome_of(outcome, request):
            _put_back(keys, histories)
            return await self._repeat(outcome, context)
        if not decided or not isinstance(outcome, AppendedEvents):
            return await self._refused(history, reason)
        for (before, _, event), recorded in zip(decided, outcome.events, strict=True):
            history = before.after(event, recorded)
            self.streams.cache(history)
        return CommandResult(history.aggregate, history.position, event=decided[-1].event, is_appended=True)

    async def _check_references(
        self, events: Sequence[tuple[Aggregate, Event]]
    ) -> tuple[Mapping[str, int], FormerIds]:
        """Check the records to which events refer, and return the versions of the streams that were read.

        These include records that were merged into others, whose ids are returned, too.

        Raises:
            ReferenceRefused: see `references.require_assignable`.
        """
        known: dict[str, int] = {}
        former: dict[tuple[str, str], list[str]] = {}
        for before, event in events:
            others: dict[Reference, Aggregate] = {}
            for reference in new_references(before, event):
                field, entity, record = reference
                definition = STREAMS[entity]
                *merged, other = await self.streams.load_with_merged(definition, record)
                others[reference] = other
                known |= {definition.stream(one.id): one.version for one in (*merged, other)}
                former[field, record] = [one.id for one in merged]
            require_assignable(before, event, others, datetime.now(UTC), self._warnings)
        return known, former

    def _duplicate(self, error: Exception, request: AppendRequest | None) -> Duplicate:
        """Return the reason of a refusal because of a duplicate; raise another error again."""
        if isinstance(error, UniqueKeyChanged):
            self.unique.forget_key()
        if isinstance(error, Duplicate):
            return error
        if isinstance(error, ValueTaken) and request is not None:
            for change in request.unique:
                if change is not None and error.value in change.fields:
                    return duplicate(change, error)
        raise error

    async def _request(
        self,
        history: History,
        context: CommandContext,
        metadata: EventMetadata,
        decided: Sequence[_Decided],
        reason: Reason | None,
    ) -> AppendRequest:
        fingerprint = metadata.fingerprint if context.is_repeatable else None
        if not decided:
            aggregate = history.aggregate
            stream = aggregate.definition.stream(aggregate.id)
            decision = Decision(stream, aggregate.version, encode_reason(reason))
            return AppendRequest(context.command_id, decision=decision, fingerprint=fingerprint)
        await ACTORS.record(metadata.actor.sub, metadata.actor.name)
        stored = tuple([MAPPER.to_stored_event(one.event, one.key) for one in decided])
        return AppendRequest(context.command_id, stored, fingerprint=fingerprint)

    async def _refused(self, history: History, reason: Reason | None) -> CommandResult:
        if isinstance(reason, PreconditionFailed):
            metrics.REFUSED.inc()
        return await self._without_event(history, reason)

    async def _key_of(self, history: History) -> Key:
        """Return the key that encrypts an entity's next event.

        A registration after the key was erased gets a new key.
        """
        key = None
        if history.key_id is not None:
            await KEYS.load([history.key_id])
            key = KEYS.get(history.key_id)
            if key is None and not history.aggregate.may_have_another_key:
                raise KeysUnavailable(f"{history.key_id} was erased, or is in another key store")
        return key or await KEYS.issue()

    async def _repeat(
        self, outcome: AppendedEvents | RecordedDecision, context: CommandContext
    ) -> CommandResult:
        """Return the result of the first request for its retry; raises `IdempotencyMismatch`."""
        event, reason = None, None
        first: RecordedEvent | Decision
        if isinstance(outcome, AppendedEvents):
            *_, first = await KEYS.unlock(outcome.events)
            event = MAPPER.to_domain_event(first)
            if not isinstance(event, Erased):  # it has destroyed the key of its fingerprint
                await _require_same(event.metadata.fingerprint, context.metadata.fingerprint)
        else:
            first = outcome.decision
            await _require_same(outcome.fingerprint, context.metadata.fingerprint)
            reason = decode_reason(first.decision)
        metrics.REPEATS.inc()
        entity, _, entity_id = first.originator_id.partition(":")
        history = now = await self.streams.load(STREAMS[entity], entity_id)
        if now.aggregate.version != first.originator_version:
            history = await self.streams.load(STREAMS[entity], entity_id, up_to=first.originator_version)
        return await self._without_event(history, reason, now, event)

    async def _without_event(
        self,
        history: History,
        reason: Reason | None,
        now: History | None = None,
        event: Event | None = None,
    ) -> CommandResult:
        """Return the result of a command that appended nothing.

        Args:
            history: the entity at the version on which the command was decided.
            reason: why the command was refused; None: it was accepted.
            now: the current history, if the command was decided earlier.
            event: the event that an earlier request appended.
        """
        now = now or history
        if isinstance(reason, PreconditionFailed) and reason.record is not None:
            history = now = await self.streams.load(history.aggregate.definition, reason.record)
        mask_reason: MaskReason | None = None if now.aggregate.restriction is None else "restricted"
        if now.aggregate.is_erased or history.key_id not in (None, now.key_id):
            mask_reason = "erased"
        if reason is None:
            return CommandResult(history.aggregate, history.position, mask_reason, event)
        changes: Sequence[tuple[Event, RecordedEvent]] = ()
        if isinstance(reason, PreconditionFailed) and reason.known_version is not None:
            changes = await self.streams.changes(history, after=reason.known_version)
        raise CommandRefused(reason, history, changes, mask_reason)


def _refusing(reason: Reason) -> DecideTogether:
    """Return a decision that refuses a command."""

    def decide(*_: object) -> Sequence[Event | None]:
        raise reason

    return decide


def _is_outcome_of(outcome: AppendedEvents | RecordedDecision, request: AppendRequest) -> bool:
    """Return whether the outcome belongs to this append, not to an earlier request with the same key."""
    if isinstance(outcome, RecordedDecision):
        return (outcome.decision, outcome.fingerprint) == (request.decision, request.fingerprint)
    return [(event.originator_id, event.state) for event in outcome.events] == [
        (event.originator_id, event.state) for event in request.events
    ]


async def _require_same(stored: str | None, fingerprint: str) -> None:
    key_id = key_of_fingerprint(stored or "")
    if key_id is not None:
        await KEYS.load([key_id])
        key = KEYS.get(key_id)
        fingerprint = "" if key is None else key.fingerprint(fingerprint)
    if stored != fingerprint:
        raise IdempotencyMismatch


async def _with_actor_key(history: History) -> History:
    """Return a history with the key of the directory of actors, if the stream has no event yet."""
    aggregate = history.aggregate
    if history.key_id is not None or not aggregate.may_be_unused or aggregate.is_erased:
        return history
    return history._replace(key_id=await ACTORS.key_id_of(aggregate.id))


def _put_back(keys: Sequence[Key], histories: Sequence[History]) -> None:
    """Return issued keys that encrypt nothing, for other commands to use."""
    for key, history in zip(keys, histories, strict=True):
        if key.id != history.key_id:
            KEYS.put_back(key)
