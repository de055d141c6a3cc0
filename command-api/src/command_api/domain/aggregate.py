"""One entity's stream, folded: what it is now, and what may happen to it next."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from command_api.domain.definition import DEFINITIONS, Definition
from command_api.domain.events import Change, DetailsChanged, Event, EventMetadata, Registered, Removed
from command_api.domain.folding import InapplicableEvent, State, apply
from ops.base.json_values import same_json


class AlreadyRegistered(Exception):
    """The id is in use."""


class NotRegistered(Exception):
    """Nothing is registered under the id."""


class RuleBroken(Exception):
    """A rule of the entity type's own stands against the decision: an `Aggregate` of its module says so.

    Its text is told, and kept where a command may be repeated; it has no values in it.
    """


@dataclass(frozen=True)
class Aggregate:
    """An entity with all its lives: a removed id may be registered again, and its stream goes on.

    What an entity type alone decides, its own class in `entities` does: it overrides a decision, raises
    `RuleBroken` where the state stands against it, and leaves the rest to this one.
    """

    definition: Definition
    id: str
    version: int = 0
    """How many events its stream has; 0: the id was never used."""
    state: State | None = None
    """What it is now; None before its registration and after its removal."""

    def register(self, details: dict[str, Any], metadata: EventMetadata) -> Registered:
        """Decide a registration.

        Raises:
            AlreadyRegistered: the id is in use.
            RuleBroken: a rule of the type's own stands against it; so for the others.
        """
        if self.state is not None:
            raise AlreadyRegistered
        return Registered(**self._next(metadata), details=details)

    def change(self, details: dict[str, Any], metadata: EventMetadata) -> DetailsChanged | None:
        """Decide a change to the given details; None when they are what it has already.

        Raises:
            NotRegistered: nothing is registered under the id.
        """
        if self.state is None:
            raise NotRegistered
        before = self.state.details
        changes = {
            name: Change(from_=before.get(name), to=value)
            for name, value in details.items()
            if not same_json(before.get(name), value)
        }
        return DetailsChanged(**self._next(metadata), changes=changes) if changes else None

    def remove(self, metadata: EventMetadata) -> Removed | None:
        """Decide a removal; None when it has been removed already.

        Raises:
            NotRegistered: the id was never used.
        """
        if self.version == 0:
            raise NotRegistered
        return Removed(**self._next(metadata)) if self.state is not None else None

    def after(self, event: Event, moment: datetime) -> Self:
        """Return the aggregate after an event of its stream.

        Raises:
            InapplicableEvent: the event does not follow.
        """
        state = apply(self.state, event, moment=moment)
        return type(self)(self.definition, self.id, event.originator_version, state)

    def _next(self, metadata: EventMetadata) -> dict[str, Any]:
        return {
            "originator_id": self.definition.stream(self.id),
            "originator_version": self.version + 1,
            "metadata": metadata,
        }


def project(aggregate: Aggregate | None, events: Iterable[Event]) -> Aggregate | None:
    """Return an aggregate after the next events of its stream: a projector function of `eventsourcing`.

    Args:
        aggregate: before them; None: its stream begins with them.
        events: as the log recorded them.

    Raises:
        InapplicableEvent: an event does not follow, or comes from no log.
    """
    for event in events:
        if event.moment is None:
            raise InapplicableEvent(f"{event.type} has no moment")
        aggregate = aggregate or DEFINITIONS[event.entity].unused(event.entity_id)
        aggregate = aggregate.after(event, event.moment)
    return aggregate
