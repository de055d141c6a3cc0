"""Facts in the past tense, as they are stored: closed models whose JSON any reader can read."""

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


class EventActor(_Closed):
    """Who caused an event."""

    sub: str
    """The identity provider's subject."""
    name: str = ""
    """Empty in what is sealed: the directory of actors has it."""


class EventMetadata(_Closed):
    """In which request an event came about."""

    actor: EventActor
    request_id: str | None
    """The server's own; None of what was stored when a client could choose it."""
    client_request_id: str | None = None
    """What the client called its request, or may have."""
    traceparent: str | None = None
    reason: str | None = None
    undoes: Annotated[int | None, Field(exclude_if=lambda version: version is None)] = None
    """The version of its stream whose event it takes back; not stored where it is an event like any other."""
    batch: Annotated[str | None, Field(exclude_if=lambda batch: batch is None)] = None
    """The run, such as an import, that it came about in with others; not stored where it came alone."""
    fingerprint: str
    """Of the request's method and body: tells a repeat of a command from another with its idempotency key;
    empty where it had none, for then nothing is its repeat."""


class Change(_Closed):
    """One field's old and new value."""

    from_: Annotated[Any, Field(alias="from")] = None
    to: Any = None


class OfStream:
    """What belongs to a stream, whose name says which entity it is about."""

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


class Event(OfStream, _Closed):
    """Base of all events."""

    kind: ClassVar[str]
    plain: ClassVar[tuple[str, ...]] = ()
    """The members of its own that are personal to nobody: they are stored and published in the clear."""
    class_version: ClassVar = 2
    """Of the shape; what was stored in an older one is upcast by `upcast_v1_v2` and so on."""
    moment: ClassVar[datetime | None] = None
    """When the log recorded it, of an event that came from there."""

    originator_id: str
    originator_version: int
    schema_version: Literal[2] = 2
    metadata: EventMetadata

    @property
    def type(self) -> str:
        """The event's topic, such as `driver.registered`."""
        return f"{self.entity}.{self.kind}"

    @staticmethod
    def upcast_v1_v2(state: dict[str, Any]) -> None:
        """Call the only request id, which may have been the client's, the client's."""
        metadata = state["metadata"]
        metadata["client_request_id"] = metadata["request_id"]
        metadata["request_id"] = None


class Registered(Event):
    """An entity came to be known, for the first time or again after its removal."""

    kind: ClassVar = "registered"
    details: dict[str, Any]


class DetailsChanged(Event):
    """Some fields got another value; the others are not mentioned."""

    kind: ClassVar = "details_changed"
    changes: dict[str, Change] = Field(min_length=1)


class Removed(Event):
    """An entity was removed; its history stays."""

    kind: ClassVar = "removed"


Basis = Literal["asked", "purpose-served", "unlawful", "contested"]
"""Why a person's data is restricted: who it is about asks to be forgotten (GDPR article 17(1)(b), DPDP Act
section 12(3)), it has served its purpose (17(1)(a), 8(7)), should never have been there (17(1)(d)), or is
contested (GDPR article 18), which is no reason to erase it."""
_Basis = Annotated[
    Basis,
    Field(
        description="why: the person asked to be forgotten, the data has served its purpose, should never"
        " have been there, or is contested"
    ),
]


class Restricted(Event):
    """Nothing more may be done with what is known of an entity, until that is lifted or all is erased."""

    kind: ClassVar = "restricted"
    plain: ClassVar = ("basis", "due")
    basis: _Basis
    due: Annotated[date, Field(description="when who has asked for it is to be answered")]


class HoldSet(Event):
    """What is restricted must be kept until a date, or (None) need not any more."""

    kind: ClassVar = "hold_set"
    plain: ClassVar = ("until",)
    until: Annotated[
        date | None, Field(description="the last day on which it must be kept; null: there is none")
    ]


class RestrictionLifted(Event):
    """An entity may be used again."""

    kind: ClassVar = "restriction_lifted"


class Erased(Event):
    """An entity is forgotten: what it was sealed under is destroyed, and who comes back is somebody new."""

    kind: ClassVar = "erased"
    plain: ClassVar = ("basis",)
    basis: _Basis
