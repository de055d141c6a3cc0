"""Facts in the past tense, as they are stored: closed models whose JSON any reader can read."""

from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json

OWN_REQUEST_IDS: Final = 2
"""The schema version from which on a request's id is the server's own, and a client's is kept apart."""


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


class EventActor(_Closed):
    """Who caused an event."""

    sub: str
    """The identity provider's subject."""
    name: str


class EventMetadata(_Closed):
    """In which request an event came about."""

    actor: EventActor
    request_id: str
    """The server's own; of events before `OWN_REQUEST_IDS` maybe what the client had sent."""
    client_request_id: str | None = None
    """What the client called its request."""
    traceparent: str | None = None
    reason: str | None = None
    fingerprint: str
    """Hash of the request's method and body: tells a repeat of a command from another with its key."""


class Change(_Closed):
    """One field's old and new value."""

    from_: Annotated[Any, Field(alias="from")] = None
    to: Any = None


class Event(_Closed):
    """Base of all events. Its moment is given by the log, when it is appended."""

    kind: ClassVar[str]

    originator_id: str
    originator_version: int
    schema_version: Literal[1, 2] = 2
    metadata: EventMetadata

    @property
    def entity(self) -> str:
        """The entity type's name, such as `driver`."""
        return self.originator_id.partition(":")[0]

    @property
    def entity_id(self) -> str:
        """The entity's id, without its type."""
        return self.originator_id.partition(":")[2]

    @property
    def type(self) -> str:
        """The event's topic, such as `driver.registered`."""
        return f"{self.entity}.{self.kind}"

    def state(self) -> bytes:
        """Return the JSON to store: all but what the log's own columns hold."""
        return self.model_dump_json(exclude={"originator_id", "originator_version"}).encode()

    @classmethod
    def read(cls, state: bytes, *, originator_id: str, originator_version: int) -> Self:
        """Rebuild an event from its stored JSON.

        Raises:
            pydantic.ValidationError: it is not the JSON of such an event.
        """
        # As its last members, what the log's columns hold: then all of it is read at once.
        state = state.rstrip()
        named = b'"originator_id":%b,"originator_version":%d' % (to_json(originator_id), originator_version)
        return cls.model_validate_json(b"%b,%b%b" % (state[:-1], named, state[-1:]))


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
