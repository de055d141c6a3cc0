"""The commands: what each decides, given the history of its entity."""

from collections.abc import Callable, Set
from contextlib import suppress
from typing import Any

from command_api.commands.context import CommandContext
from command_api.commands.execution import MAX_TRIES, CommandResult, Execution, Refused
from command_api.commands.log import Log
from command_api.commands.reasons import Invalid, NoSuchVersion, PreconditionFailed
from command_api.commands.streams import History
from command_api.domain.aggregate import Aggregate, NotRegistered
from command_api.domain.definition import Definition
from command_api.domain.events import Event, EventMetadata
from command_api.domain.undo import ChangedSince, UndoTarget, undo
from command_api.event_store.records import LogUnavailable


class _MadeIdInUse(Exception):
    """An id that was made for a registration is not new."""


class _MovedOn(Exception):
    """More has happened to an entity than was read of it."""


ReadDetails = Callable[[dict[str, Any] | None], dict[str, Any]]
"""Makes of an entity's details, None where it has none, what they are to be; raises `Invalid`."""


class CommandHandler:
    """Decides and executes commands; see `Execution.execute` for what each raises besides."""

    def __init__(self, log: Log) -> None:
        self._execution = Execution(log)
        self._streams = self._execution.streams
        self._execute = self._execution.execute

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
        """
        for _ in range(MAX_TRIES):
            target = await self._streams.undo_target(definition, entity_id, version)
            if target is not None:
                permit(target.event)

            def decide(
                history: History, metadata: EventMetadata, target: UndoTarget | None = target
            ) -> Event | None:
                now = history.aggregate
                if now.version == 0 or now.is_erased:
                    raise NotRegistered
                now.require_unrestricted()
                if target is None or target.key_id not in (None, history.key_id):  # or it was forgotten
                    raise NoSuchVersion
                if now.version != target.version:
                    raise _MovedOn
                _require_match(history, context)
                overwrite = context.if_match is not None and now.version in context.if_match.versions
                try:
                    return undo(now, target, keep, metadata, overwrite=overwrite)
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
        """

        def decided(history: History, metadata: EventMetadata) -> Event | None:
            event = decide(history.aggregate, metadata)
            if event is not None:
                _require_match(history, context)
            return event

        return await self._execute(definition, entity_id, context, decided)


def _left_as_they_are(aggregate: Aggregate, details: dict[str, Any]) -> dict[str, Any]:
    """Return the details that some do not have, as they are."""
    now = {} if aggregate.state is None else aggregate.state.details
    return {name: now.get(name) for name in aggregate.definition.fields if name not in details}


def _require_match(history: History, context: CommandContext) -> None:
    version = history.aggregate.version
    if context.if_match is not None and not context.if_match.allows(version):
        raise PreconditionFailed(context.if_match.known_version(version))
