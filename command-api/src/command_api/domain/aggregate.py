"""One entity's stream, folded: what it is now, and what may happen to it next."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, ClassVar, Self

from command_api.domain.definition import STREAMS, Definition
from command_api.domain.events import (
    Basis,
    Change,
    DetailsChanged,
    Erased,
    Event,
    EventMetadata,
    HoldSet,
    Registered,
    Removed,
    Restricted,
    RestrictionLifted,
)
from command_api.domain.folding import InapplicableEvent, State, apply
from command_api.domain.restriction import Restriction, restriction_after
from ops.base.records.json_values import same_json


class AlreadyRegistered(Exception):
    """The id is in use."""


class NotRegistered(Exception):
    """Nothing is registered under the id."""


class IsRestricted(Exception):
    """Nothing may be done with what is known of the entity."""


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

    may_be_unused: ClassVar = False
    """Whether something is known of it before its first event."""

    definition: Definition
    id: str
    version: int = 0
    """How many events its stream has; 0: the id was never used."""
    state: State | None = None
    """What it is now; None before its registration and after its removal."""
    restriction: Restriction | None = None
    """Why nothing may be done with what is known of it, if that is so."""
    is_erased: bool = False
    """Whether it was forgotten, and nobody has been registered under its id since."""

    @property
    def may_have_another_key(self) -> bool:
        """Whether its next event may be sealed under a new key where the former one is gone."""
        return self.state is None and (self.is_erased or not self.may_be_unused)

    def register(self, details: dict[str, Any], metadata: EventMetadata) -> Registered:
        """Decide a registration.

        Raises:
            AlreadyRegistered: the id is in use.
            IsRestricted: nothing may be done with what is known of it; so for the others.
            RuleBroken: a rule of the type's own stands against it; so for the others.
        """
        self.require_unrestricted()
        if self.state is not None:
            raise AlreadyRegistered
        return Registered(**self._next(metadata), details=details)

    def change(self, details: dict[str, Any], metadata: EventMetadata) -> DetailsChanged | None:
        """Decide a change to the given details; None when they are what it has already.

        Raises:
            NotRegistered: nothing is registered under the id.
        """
        self.require_unrestricted()
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
        self.require_unrestricted()
        if self.version == 0:
            raise NotRegistered
        return Removed(**self._next(metadata)) if self.state is not None else None

    def restrict(self, basis: Basis, due: date, metadata: EventMetadata) -> Restricted:
        """Decide that nothing more may be done with what is known of it, even after its removal.

        Raises:
            NotRegistered: the id was never used, or all that was known is forgotten.
            IsRestricted: it is so already.
        """
        self.require_unrestricted()
        if (self.version == 0 and not self.may_be_unused) or self.is_erased:
            raise NotRegistered
        return Restricted(**self._next(metadata), basis=basis, due=due)

    def hold(self, until: date | None, metadata: EventMetadata) -> HoldSet | None:
        """Decide that it must be kept until a date, or (None) need not any more; None: it is so.

        Raises:
            NotRegistered: as for `restrict`.
            RuleBroken: it is not restricted.
        """
        if self._restricted().hold_until == until:
            return None
        return HoldSet(**self._next(metadata), until=until)

    def lift(self, metadata: EventMetadata) -> RestrictionLifted:
        """Decide that it may be used again.

        Raises:
            NotRegistered: as for `restrict`.
            RuleBroken: it is not restricted.
        """
        self._restricted()
        return RestrictionLifted(**self._next(metadata))

    def erase(self, today: date, metadata: EventMetadata) -> Erased:
        """Decide that it is forgotten.

        Args:
            today: the date in UTC.
            metadata: who decides, and in which request.

        Raises:
            NotRegistered: as for `restrict`.
            RuleBroken: it is not restricted, or contested, or by the same person, or must be kept for now.
        """
        restriction = self._restricted()
        if (reason := restriction.against_erasure(by=metadata.actor.sub, today=today)) is not None:
            raise RuleBroken(reason)
        return Erased(**self._next(metadata), basis=restriction.basis)

    def after(self, event: Event, moment: datetime) -> Self:
        """Return the aggregate after an event of its stream.

        Raises:
            InapplicableEvent: the event does not follow.
        """
        return replace(
            self,
            version=event.originator_version,
            state=apply(self.state, event, moment=moment),
            restriction=restriction_after(self.restriction, event),
            is_erased=isinstance(event, Erased),
        )

    def require_unrestricted(self) -> None:
        """Refuse changes of a restricted entity.

        Raises:
            IsRestricted: the entity is restricted.
        """
        if self.restriction is not None:
            raise IsRestricted

    def _restricted(self) -> Restriction:
        if self.restriction is not None:
            return self.restriction
        if self.version == 0 or self.is_erased:
            raise NotRegistered
        raise RuleBroken("This record is not restricted.")

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
        aggregate = aggregate or STREAMS[event.entity].unused(event.entity_id)
        aggregate = aggregate.after(event, event.moment)
    return aggregate
