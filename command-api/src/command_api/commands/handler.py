"""The commands: what each decides on the history of its entity."""

from collections.abc import Awaitable, Callable, Sequence, Set
from contextlib import suppress
from typing import Any, Final

from command_api.commands.context import CommandContext, IfMatch
from command_api.commands.execution import MAX_TRIES, CommandRefused, CommandResult, Execution
from command_api.commands.reasons import InvalidDetails, NoSuchVersion, PreconditionFailed
from command_api.commands.streams import History
from command_api.domain.aggregate import Aggregate, NotRegistered, RuleBroken
from command_api.domain.definition import Definition
from command_api.domain.events import Event, EventMetadata
from command_api.domain.undo import ChangedSince, UndoTarget, other_of_merge, require_separable, undo
from command_api.event_store.records import LogUnavailable


class _GeneratedIdInUse(Exception):
    """An id that was generated for a registration is not new."""


class _StreamAdvanced(Exception):
    """The stream has events that were not read."""


ReadDetails = Callable[[dict[str, Any] | None], dict[str, Any]]
"""Returns an entity's new details, given the current ones or None; raises `InvalidDetails`."""


class CommandHandler(Execution):
    """Decides and executes commands; all of them raise what `execute` raises as well."""

    def clear_cache(self) -> None:
        """Empty the cache of entities: the log may have been replaced, or data erased."""
        self.streams.clear_cache()

    async def load(self, definition: Definition, entity_id: str) -> Aggregate:
        """Return an entity now; raises as `Streams.load` does."""
        return (await self.streams.load(definition, entity_id)).aggregate

    async def register(
        self, definition: Definition, entity_id: str | None, details: dict[str, Any], context: CommandContext
    ) -> CommandResult:
        """Register an entity; without an id, under a generated one.

        Raises:
            CommandRefused: the id is in use.
        """

        def decide(history: History, metadata: EventMetadata) -> Event:
            if entity_id is None and history.aggregate.version:
                raise _GeneratedIdInUse  # also if it is free again after a removal
            return history.aggregate.register(details, metadata)

        while True:
            with suppress(_GeneratedIdInUse):
                return await self.execute(
                    definition, entity_id or definition.new_id(), context, decide, assume_new=True
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
        """Change an entity, or register it if it is not registered.

        Args:
            read: returns the new details; details that it leaves out stay unchanged.

        Raises:
            CommandRefused: the new details are invalid, `If-Match` fails, or the entity is not registered.
        """

        def decide(history: History, metadata: EventMetadata) -> Event | None:
            aggregate = history.aggregate
            if aggregate.state is None and may_register:
                aggregate.require_unrestricted()
                return aggregate.register(read(None), metadata)
            event = aggregate.change(_details(aggregate, read), metadata)
            _require_match(history, context)
            return event

        return await _with_errors(read, self.execute(definition, entity_id, context, decide))

    async def merge(
        self,
        definition: Definition,
        entity_id: str,
        merged: tuple[str, int],
        read: ReadDetails,
        context: CommandContext,
    ) -> CommandResult:
        """Merge another entity into one, which gets new details; the other one is removed.

        Args:
            merged: the other entity's id, and the version of it that the client has seen.
            read: see `save`.

        Raises:
            CommandRefused: see `save`; the other entity has another version, or cannot be merged.
        """

        other_id, other_version = merged

        def decide(histories: Sequence[History], metadata: EventMetadata) -> Sequence[Event]:
            other, history = histories
            details = _details(history.aggregate, read)
            _require_match(history, context)
            events = history.aggregate.merge(details, other.aggregate, metadata)
            if (version := other.aggregate.version) != other_version:
                known_version = IfMatch.one(other_version).known_version(version)
                raise PreconditionFailed(known_version, other_id)
            return events

        ids = [other_id, entity_id]
        return await _with_errors(read, self.execute_together(definition, ids, context, decide))

    async def change(
        self, definition: Definition, entity_id: str, details: dict[str, Any], context: CommandContext
    ) -> CommandResult:
        """Change an entity's details; details that are left out stay unchanged.

        Raises:
            CommandRefused: the entity is not registered, or `If-Match` fails.
        """
        return await self.save(definition, entity_id, lambda _: details, context, may_register=False)

    async def remove(self, definition: Definition, entity_id: str, context: CommandContext) -> CommandResult:
        """Remove an entity; if it is removed already, append nothing.

        Raises:
            CommandRefused: the id was never used, or `If-Match` fails for a registered entity.
        """
        return await self.decide(
            definition, entity_id, lambda aggregate, metadata: aggregate.remove(metadata), context
        )

    async def restore(
        self, definition: Definition, entity_id: str, version: int, context: CommandContext
    ) -> CommandResult:
        """Change an entity's details back to those of a version; register a removed entity again.

        Raises:
            CommandRefused: the id was never used, it had no such version, or `If-Match` fails.
        """
        past = await self.streams.load(definition, entity_id, up_to=version)  # which never changes
        then = past.aggregate

        def decide(history: History, metadata: EventMetadata) -> Event | None:
            now = history.aggregate
            if now.version == 0 or now.is_erased:
                raise NotRegistered
            now.require_unrestricted()
            if past.key_id not in (None, history.key_id):
                raise NoSuchVersion  # erased
            if then.version != version or then.state is None:
                raise NoSuchVersion
            _require_match(history, context)
            details = {**definition.blank_details(), **then.state.details}
            if now.state is None:
                return now.register(details, metadata)
            return now.change(details, metadata)

        return await self.execute(definition, entity_id, context, decide)

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
        """Revert the event of a version by a new event; later changes of other parts stay.

        A merge is reverted on both entities.

        If later events changed the same parts, the command is refused as if `If-Match` named the version,
        unless `If-Match` is the current version: then the client has seen those changes.

        Args:
            keep: the parts that stay unchanged: fields, and members of fields that are objects.
            permit: raises if the user must not undo the event.

        Raises:
            CommandRefused: see `domain.undo`; or no such version exists, or `If-Match` fails.
        """
        for _ in range(MAX_TRIES):
            ids, targets = [entity_id], [await self.streams.undo_target(definition, entity_id, version)]
            if (target := targets[0]) is not None:
                permit(target.event)
                if (other := other_of_merge(target.event)) is not None:
                    ids.insert(0, other[0])
                    targets.insert(0, await self.streams.undo_target(definition, *other))

            def decide(
                histories: Sequence[History],
                metadata: EventMetadata,
                targets: Sequence[UndoTarget | None] = targets,
            ) -> Sequence[Event | None]:
                *others, history = histories
                now = history.aggregate
                if now.version == 0 or now.is_erased:
                    raise NotRegistered
                now.require_unrestricted()
                known = [_existing(target, one) for target, one in zip(targets, histories, strict=True)]
                _require_match(history, context)
                for other in others:
                    require_separable(now, other.aggregate, known[-1].event)
                overwrite = context.if_match is not None and now.version in context.if_match.versions
                events: list[Event | None] = []
                for target, one in zip(known, histories, strict=True):
                    own = {"keep": keep, "overwrite": overwrite} if one is history else _OTHERS
                    try:
                        events.append(undo(one.aggregate, target, metadata, **own))
                    except ChangedSince:
                        record = None if one is history else one.aggregate.id
                        raise PreconditionFailed(target.event.originator_version, record) from None
                return events if events[-1] is not None else ()

            with suppress(_StreamAdvanced):
                return await self.execute_together(definition, ids, context, decide)
        raise LogUnavailable("other commands always came first")

    async def decide_for_person(
        self,
        definition: Definition,
        entity_id: str,
        decide: Callable[[Aggregate, EventMetadata], Event | None],
        context: CommandContext,
    ) -> CommandResult:
        """Execute a decision for an entity and for all that were merged into it, which are the same person's.

        Raises:
            CommandRefused: see `decide`; or the entity was itself merged into another one.
        """
        for _ in range(MAX_TRIES):
            merged = await self.streams.load_with_merged(definition, entity_id)
            versions = {one.id: one.version for one in merged}

            def decided(
                histories: Sequence[History],
                metadata: EventMetadata,
                versions: Sequence[int] = tuple(versions.values()),
            ) -> Sequence[Event | None]:
                history = histories[-1]
                if history.aggregate.into is not None:
                    raise RuleBroken("This record was merged into another. Decide about that one for both.")
                if [one.aggregate.version for one in histories] != list(versions):
                    raise _StreamAdvanced
                events = [decide(one.aggregate, metadata) for one in histories]
                if events[-1] is None:
                    return ()
                _require_match(history, context)
                return events

            with suppress(_StreamAdvanced):
                return await self.execute_together(definition, list(versions), context, decided)
        raise LogUnavailable("other commands always came first")

    async def decide(
        self,
        definition: Definition,
        entity_id: str,
        decide: Callable[[Aggregate, EventMetadata], Event | None],
        context: CommandContext,
    ) -> CommandResult:
        """Execute a decision of the aggregate alone; None appends nothing.

        Raises:
            CommandRefused: the aggregate refuses, or `If-Match` fails.
        """

        def decided(history: History, metadata: EventMetadata) -> Event | None:
            event = decide(history.aggregate, metadata)
            if event is not None:
                _require_match(history, context)
            return event

        return await self.execute(definition, entity_id, context, decided)


_OTHERS: Final[dict[str, Any]] = {"keep": frozenset(), "overwrite": False}
"""How the other entity's part of a merge is undone."""


def _existing(target: UndoTarget | None, history: History) -> UndoTarget:
    if target is None or target.key_id not in (None, history.key_id):  # never existed, or erased
        raise NoSuchVersion
    if history.aggregate.version != target.version:
        raise _StreamAdvanced
    if target.reverts_merge:
        raise RuleBroken("This change undid a merge. Merge the records again instead.")
    return target


def _details(aggregate: Aggregate, read: ReadDetails) -> dict[str, Any]:
    """Return an entity's complete new details; raise `IsRestricted` or `NotRegistered`."""
    aggregate.require_unrestricted()
    if aggregate.state is None:
        raise NotRegistered
    now = aggregate.state.details
    details = read(now)
    return {**details, **{name: now.get(name) for name in aggregate.definition.fields if name not in details}}


async def _with_errors(read: ReadDetails, command: Awaitable[CommandResult]) -> CommandResult:
    """Await a command, and add the errors to a refusal because of invalid details."""
    try:
        return await command
    except CommandRefused as refused:
        invalid = isinstance(refused.reason, InvalidDetails) and not refused.reason.errors
        if invalid and refused.mask_reason is None:
            # A retry: the log has stored that the details were invalid, but not the errors.
            state = refused.history.aggregate.state
            try:
                read(None if state is None else state.details)
            except InvalidDetails as reason:
                refused.reason = reason
        raise


def _require_match(history: History, context: CommandContext) -> None:
    version, if_match = history.aggregate.version, context.if_match
    if if_match is not None and not if_match.any_version and version not in if_match.versions:
        raise PreconditionFailed(if_match.known_version(version))
