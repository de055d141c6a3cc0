"""Aggregate of one entity: its state, folded from its stream, and the decisions it allows next."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, ClassVar, Literal, Self

from pydantic import ValidationError

from command_api.domain.definition import STREAMS, Definition
from command_api.domain.events import (
    Basis,
    DetailsChanged,
    Erased,
    Event,
    EventMetadata,
    FieldChange,
    HoldSet,
    Merged,
    MergedInto,
    PossibleDuplicateDismissed,
    Registered,
    ReminderAcknowledged,
    Removed,
    Restricted,
    RestrictionLifted,
)
from command_api.domain.state import InapplicableEvent, State, apply
from ops.base.records.json_values import same_json


class AlreadyRegistered(Exception):
    """The id is in use."""


class NotRegistered(Exception):
    """No entity is registered under the id."""


class IsRestricted(Exception):
    """The entity's data is restricted, so it cannot be changed."""


class RuleBroken(Exception):
    """A rule of an entity type forbids the decision.

    The message is shown to the client, and stored for idempotent retries, so it must not contain values.
    """


@dataclass(frozen=True)
class Restriction:
    """A restriction of the processing of an entity's data, until it is lifted or the data erased."""

    basis: Basis
    due: date
    """The day by which the person is to be answered."""
    by: str
    """The subject of the user who restricted it; another user must erase it."""
    hold_until: date | None = None
    """The last day of a legal hold."""

    def objection_to_erasure(self, *, by: str, today: date) -> str | None:
        """Return why a user must not erase the data now; None if the user may."""
        if self.basis == "contested":
            return "Contested data cannot be erased. Settle its accuracy, then lift the restriction."
        if self.hold_until is not None and today <= self.hold_until:
            return f"A legal hold applies until {self.hold_until}. Erase the data after that day."
        if by == self.by:
            return "You restricted this record. Another user must confirm the erasure."
        return None


@dataclass(frozen=True)
class Aggregate:
    """An entity across its registrations: a removed id may be registered again in the same stream.

    A subclass in the module of an entity type overrides a decision to add a rule: it raises `RuleBroken` if
    the state forbids the decision.
    """

    may_be_unused: ClassVar = False
    """Whether data about it may exist before its first event."""

    definition: Definition
    id: str
    version: int = 0
    """The number of events of its stream; 0: the id was never used."""
    state: State | None = None
    """None before its registration and after its removal."""
    restriction: Restriction | None = None
    is_erased: bool = False
    """Whether its last event is an erasure."""
    into: str | None = None
    """The id of the entity that it was merged into, until it is registered again."""
    sources: frozenset[str] = frozenset()
    """The ids of all entities that were merged into it, also of those that are registered again."""

    @property
    def may_have_another_key(self) -> bool:
        """Whether its next event may be encrypted with a new key if the previous one was destroyed."""
        return self.state is None and (self.is_erased or not self.may_be_unused)

    def register(self, details: dict[str, Any], metadata: EventMetadata) -> Registered:
        """Decide a registration.

        Raises:
            AlreadyRegistered: the id is in use.
            IsRestricted: the data is restricted; `change`, `remove` and `restrict` raise it as well.
            RuleBroken: a rule of the entity type forbids it; every decision may raise it.
        """
        self.require_unrestricted()
        if self.state is not None:
            raise AlreadyRegistered
        return Registered(**self._next(metadata), details=details)

    def change(self, details: dict[str, Any], metadata: EventMetadata) -> DetailsChanged | None:
        """Decide a change of the given details; None if they have these values already.

        Raises:
            NotRegistered: no entity is registered under the id.
        """
        self.require_unrestricted()
        if self.state is None:
            raise NotRegistered
        before = self.state.details
        changes = {
            name: FieldChange(from_=before.get(name), to=value)
            for name, value in details.items()
            if not same_json(before.get(name), value)
        }
        return DetailsChanged(**self._next(metadata), changes=changes) if changes else None

    def remove(self, metadata: EventMetadata) -> Removed | None:
        """Decide a removal; None if the entity is removed already. Raises `NotRegistered`."""
        self.require_unrestricted()
        if self.version == 0:
            raise NotRegistered
        return Removed(**self._next(metadata)) if self.state is not None else None

    def merge(
        self, details: dict[str, Any], other: "Aggregate", metadata: EventMetadata
    ) -> tuple[MergedInto, Merged]:
        """Decide that another entity becomes part of this one, which gets the given details.

        Raises:
            NotRegistered: this entity is not registered.
            IsRestricted: this entity's data is restricted.
            RuleBroken: the other one is not registered, or restricted; or a rule forbids its removal.
        """
        changed = self.change(details, metadata)
        if other.restriction is not None:
            raise RuleBroken("The record to merge is restricted. Lift the restriction to merge it.")
        if other.state is None or other.remove(metadata) is None:
            raise RuleBroken("The record to merge is not registered.")
        own, others = self._next(metadata), other._next(metadata)  # noqa: SLF001 - of the same class
        version, other_version = own["originator_version"], others["originator_version"]
        changes = changed.changes if changed else {}
        return (
            MergedInto(**others, into=self.id, into_version=version),
            Merged(**own, changes=changes, source=other.id, source_version=other_version),
        )

    def keep(self, metadata: EventMetadata) -> DetailsChanged:
        """Decide an event that changes nothing: the counterpart of another entity's event."""
        return DetailsChanged(**self._next(metadata), changes={})

    def acknowledge(
        self, document: Literal["licence", "passport"], until: date | None, metadata: EventMetadata
    ) -> ReminderAcknowledged:
        """Decide the acknowledgement of a driver's reminder; raises `NotRegistered`."""
        self._require_registered()
        return ReminderAcknowledged(**self._next(metadata), document=document, until=until)

    def dismiss(self, other: str, metadata: EventMetadata, *, dismissed: bool) -> PossibleDuplicateDismissed:
        """Decide that the entity is no double of another one, or perhaps one; raises `NotRegistered`."""
        self._require_registered()
        return PossibleDuplicateDismissed(**self._next(metadata), other=other, dismissed=dismissed)

    def restrict(self, basis: Basis, due: date, metadata: EventMetadata) -> Restricted:
        """Decide a restriction of the entity's data, also after its removal; raises `NotRegistered`."""
        self.require_unrestricted()
        if (self.version == 0 and not self.may_be_unused) or self.is_erased:
            raise NotRegistered
        return Restricted(**self._next(metadata), basis=basis, due=due)

    def hold(self, until: date | None, metadata: EventMetadata) -> HoldSet | None:
        """Decide a legal hold until a day, or the end of the hold; None if nothing changes.

        Raises:
            NotRegistered: see `restrict`.
            RuleBroken: the data is not restricted.
        """
        if self._restricted().hold_until == until:
            return None
        return HoldSet(**self._next(metadata), until=until)

    def lift(self, metadata: EventMetadata) -> RestrictionLifted:
        """Decide the end of the restriction; raises as `hold` does."""
        self._restricted()
        return RestrictionLifted(**self._next(metadata))

    def erase(self, today: date, metadata: EventMetadata) -> Erased:
        """Decide an erasure.

        Args:
            today: the date in UTC.
            metadata: of the request; its actor must not be the user who restricted the data.

        Raises:
            NotRegistered: see `restrict`.
            RuleBroken: the data is not restricted, is contested, is under a legal hold, or was restricted by
                the same user.
        """
        restriction = self._restricted()
        if (reason := restriction.objection_to_erasure(by=metadata.actor.sub, today=today)) is not None:
            raise RuleBroken(reason)
        return Erased(**self._next(metadata), basis=restriction.basis)

    def after(self, event: Event, moment: datetime) -> Self:
        """Return the aggregate after the next event of its stream; raises `InapplicableEvent`."""
        match event:
            case Restricted():
                restriction: Restriction | None = Restriction(
                    event.basis, event.due, event.metadata.actor.sub
                )
            case HoldSet() if self.restriction is not None:
                restriction = replace(self.restriction, hold_until=event.until)
            case _:
                restriction = None
        into, sources = self.into, self.sources
        match event:
            case MergedInto():
                into = event.into
            case Merged():
                sources |= {event.source}
            case Erased():
                into, sources = None, frozenset()
            case Registered():
                into = None
        return replace(
            self,
            version=event.originator_version,
            state=apply(self.state, event, moment=moment),
            restriction=restriction,
            is_erased=isinstance(event, Erased),
            into=into,
            sources=sources,
        )

    def require_unrestricted(self) -> None:
        """Raise `IsRestricted` if the entity's data is restricted."""
        if self.restriction is not None:
            raise IsRestricted

    def objection(self, details: Mapping[str, Any], other: State, now: datetime) -> str | None:  # noqa: ARG002
        """Return the code of the reason why details must not refer to another record; None if they may."""
        return None

    def _require_registered(self) -> None:
        self.require_unrestricted()
        if self.state is None:
            raise NotRegistered

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


class ConsistentAggregate(Aggregate):
    """An entity whose fields match each other, also after a change of some (a masked PUT, an undo)."""

    def change(self, details: dict[str, Any], metadata: EventMetadata) -> DetailsChanged | None:
        """Decide a change; raises `RuleBroken` if the fields would not match."""
        changed = super().change(details, metadata)
        if changed is not None and self.state is not None:
            try:
                self.definition.details.model_validate({**self.state.details, **details})
            except ValidationError as error:
                first = error.errors()[0]
                raise RuleBroken(f"This change alone is not possible: {first['msg']}.") from None
        return changed


def project(aggregate: Aggregate | None, events: Iterable[Event]) -> Aggregate | None:
    """Return an aggregate after the next events of its stream: a projector function of `eventsourcing`.

    Args:
        aggregate: the aggregate before the events; None: the stream begins with them.
        events: recorded events, which have a moment.

    Raises:
        InapplicableEvent: an event does not follow, or was not recorded in a log.
    """
    for event in events:
        if event.moment is None:
            raise InapplicableEvent(f"{event.type} has no moment")
        aggregate = aggregate or STREAMS[event.entity].unused(event.entity_id)
        aggregate = aggregate.after(event, event.moment)
    return aggregate
