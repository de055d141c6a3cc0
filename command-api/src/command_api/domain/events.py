"""Events of the log: closed models, stored as plain JSON."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


class EventActor(_Closed):
    """The user or program that caused an event."""

    sub: str
    """The identity provider's subject."""
    name: str = ""
    """Empty in encrypted events: the directory of actors has the name."""
    is_program: Annotated[bool, Field(exclude_if=lambda is_program: not is_program)] = False
    """Whether it is a program; not stored otherwise."""


class EventMetadata(_Closed):
    """The request that caused an event."""

    actor: EventActor
    request_id: str
    """The server's own request id."""
    client_request_id: str | None = None
    """The client's request id."""
    traceparent: str | None = None
    reason: str | None = None
    undoes: Annotated[int | None, Field(exclude_if=lambda version: version is None)] = None
    """The version whose event it undoes; not stored otherwise."""
    batch: Annotated[str | None, Field(exclude_if=lambda batch: batch is None)] = None
    """The batch that it belongs to, such as an import; not stored otherwise."""
    fingerprint: str
    """Hash of the request's method and body, to refuse another command with the same idempotency key; empty
    without a key."""


class FieldChange(_Closed):
    """One field's old and new value."""

    from_: Annotated[Any, Field(alias="from")] = None
    to: Any = None


class StreamMember:
    """Mixin of records with a stream's name, which consists of the entity type and the id."""

    if TYPE_CHECKING:
        originator_id: str

    @property
    def entity(self) -> str:
        """The entity type's name, such as `driver`."""
        return self.originator_id.partition(":")[0]

    @property
    def entity_id(self) -> str:
        """The entity's id, without its type."""
        return self.originator_id.partition(":")[2]


class Event(StreamMember, _Closed):
    """Base of all events."""

    kind: ClassVar[str]
    of: ClassVar[tuple[str, ...] | None] = None
    """The only entity types that have such events; None: all have."""
    not_of: ClassVar[tuple[str, ...]] = ()
    """Entity types that have no such events."""
    plain: ClassVar[tuple[str, ...]] = ()
    """Its own members that are not personal data: they are stored unencrypted, and published."""
    class_version: ClassVar = 2
    """Version of the shape; `upcast_v2_v3` and so on convert older shapes."""
    moment: ClassVar[datetime | None] = None
    """The time at which the log recorded it; None if it was not read from a log."""

    originator_id: str
    originator_version: int
    schema_version: Literal[2] = 2
    metadata: EventMetadata

    @property
    def type(self) -> str:
        """The event's topic, such as `driver.registered`."""
        return f"{self.entity}.{self.kind}"

    def plain_members(self) -> dict[str, Any]:
        """Return the members in `plain` as JSON."""
        return self.model_dump(mode="json", include=set(self.plain)) if self.plain else {}


class Registered(Event):
    """An entity was registered, for the first time or again after its removal."""

    kind: ClassVar = "registered"
    details: dict[str, Any]


class DetailsChanged(Event):
    """Some fields got another value; unchanged fields are left out."""

    kind: ClassVar = "details_changed"
    changes: dict[str, FieldChange]
    """Empty in the undo of a merge that changed nothing."""


class Merged(DetailsChanged):
    """Another entity became part of this one, which takes the values of some fields from it."""

    kind: ClassVar = "merged"
    not_of: ClassVar = ("assignment", "subscription")
    plain: ClassVar = ("source", "source_version")
    source: Annotated[str, Field(description="the id of the record that was merged into this one")]
    source_version: Annotated[int, Field(ge=1, description="the version at which that record was removed")]


class Removed(Event):
    """An entity was removed; its history stays."""

    kind: ClassVar = "removed"


class MergedInto(Removed):
    """An entity became part of another one, under whose id it is found."""

    kind: ClassVar = "merged_into"
    not_of: ClassVar = ("assignment", "subscription")
    plain: ClassVar = ("into", "into_version")
    into: Annotated[str, Field(description="the id of the record into which this one was merged")]
    into_version: Annotated[int, Field(ge=1, description="the version of that record after the merge")]


Basis = Literal["asked", "purpose-served", "unlawful", "contested"]
"""Why a person's data is restricted: the person asked for erasure (GDPR article 17(1)(b), DPDP Act section
12(3)), the data has served its purpose (17(1)(a), 8(7)), was processed unlawfully (17(1)(d)), or is contested
(GDPR article 18), which does not allow erasure."""
_Basis = Annotated[
    Basis,
    Field(
        description="why: the person asked to be forgotten, the data has served its purpose, should never"
        " have been there, or is contested"
    ),
]


class Restricted(Event):
    """An entity's data was restricted, until the restriction is lifted or the data erased."""

    kind: ClassVar = "restricted"
    plain: ClassVar = ("basis", "due")
    basis: _Basis
    due: Annotated[date, Field(description="when who has asked for it is to be answered")]


class HoldSet(Event):
    """A legal hold on restricted data was set, or (None) ended."""

    kind: ClassVar = "hold_set"
    plain: ClassVar = ("until",)
    until: Annotated[
        date | None, Field(description="the last day on which it must be kept; null: there is none")
    ]


class RestrictionLifted(Event):
    """The restriction of an entity's data was lifted."""

    kind: ClassVar = "restriction_lifted"


class ReminderAcknowledged(Event):
    """The reminder that a document expires was acknowledged."""

    kind: ClassVar = "reminder_acknowledged"
    of: ClassVar = ("driver",)
    plain: ClassVar = ("document", "until")
    document: Annotated[Literal["licence", "passport"], Field(description="the document that expires")]
    until: Annotated[
        date | None,
        Field(description="the day on which reminders begin again; null: when its last day has changed"),
    ]


class PossibleDuplicateDismissed(Event):
    """A record was found to be no double of another one, or (false) perhaps to be one after all."""

    kind: ClassVar = "possible_duplicate_dismissed"
    of: ClassVar = ("driver", "horse", "trailer")
    plain: ClassVar = ("other", "dismissed")
    other: Annotated[str, Field(description="the id of the other record")]
    dismissed: Annotated[bool, Field(description="false: the pair is listed as possible duplicates again")]


class DeliveryGivenUp(Event):
    """Deliveries of a subscription have failed for days, and are not tried any more."""

    kind: ClassVar = "delivery_given_up"
    of: ClassVar = ("subscription",)
    plain: ClassVar = ("position",)
    position: Annotated[int, Field(ge=0, description="the position after which events are not delivered")]


class DeliveryResumed(DeliveryGivenUp):
    """A user resumed deliveries that were given up."""

    kind: ClassVar = "delivery_resumed"
    position: Annotated[int, Field(ge=0, description="the position after which events are delivered")]


class Erased(Event):
    """An entity's data was erased by destroying its key; a later registration is a new entity."""

    kind: ClassVar = "erased"
    plain: ClassVar = ("basis",)
    basis: _Basis


EVENT_CLASSES: Final[Mapping[str, type[Event]]] = {
    event_class.kind: event_class
    for event_class in (
        *(Registered, DetailsChanged, Removed, Merged, MergedInto),
        *(Restricted, HoldSet, RestrictionLifted, Erased, ReminderAcknowledged),
        *(PossibleDuplicateDismissed, DeliveryGivenUp, DeliveryResumed),
    )
}
"""All classes of events by kind."""


def event_classes(entity: str) -> list[type[Event]]:
    """Return the classes of an entity type's events."""
    every = [one for one in EVENT_CLASSES.values() if one.of is None or entity in one.of]
    return [one for one in every if entity not in one.not_of]
