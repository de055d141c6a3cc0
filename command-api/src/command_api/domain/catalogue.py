"""The entity types with their rules, and the events they are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from secrets import randbits
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from command_api.domain.details import DriverDetails, HorseDetails, LocationDetails, TrailerDetails
from command_api.domain.events import DetailsChanged, Event, Registered, Removed
from command_api.domain.personal_data import free_text_fields, personal_fields
from command_api.domain.publication import EVERYTHING, Public, public_fields
from ops.base.entities import DRIVER, HORSE, LOCATION, TRAILER, EntityType

# Crockford's base 32: no letter that can be taken for a digit.
_ID_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Definition:
    """One entity type: its details, who gives its ids, and what its record shows."""

    entity_type: EntityType
    details: type[BaseModel]
    given_id_required: str | None = None
    """Message when a client gives no id; None: the server makes one."""
    id_may_be_given: bool = True
    id_prefix: str = ""
    shows_times: bool = False
    """Whether records carry created_at and updated_at."""

    @property
    def name(self) -> str:
        """The entity type's name, such as `driver`."""
        return self.entity_type.name

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of the details, in the wire's order."""
        return tuple(self.details.model_fields)

    @cached_property
    def personal(self) -> frozenset[str]:
        """The names of the details that are personal data, free text included."""
        return personal_fields(self.details)

    @cached_property
    def free_text(self) -> frozenset[str]:
        """The names of the details that are free text, which may name people."""
        return free_text_fields(self.details)

    @cached_property
    def harmless(self) -> frozenset[str]:
        """The names of the details that are not personal data."""
        return frozenset(self.fields) - self.personal

    @cached_property
    def harmless_or_free_text(self) -> frozenset[str]:
        """The same, where free text is known to name nobody."""
        return self.harmless | self.free_text

    @cached_property
    def public(self) -> Mapping[str, Public]:
        """The marks of the details that everybody may see, by name; what is not in it is masked."""
        return public_fields(self.details)

    @cached_property
    def public_or_free_text(self) -> Mapping[str, Public]:
        """The same, where free text is published."""
        return {**dict.fromkeys(self.free_text, EVERYTHING), **self.public}

    def stream(self, entity_id: str) -> str:
        """Return the name of an entity's stream."""
        return f"{self.name}:{entity_id}"

    def new_id(self) -> str:
        """Make an id: 40 random bits, short enough to be read out on the telephone."""
        bits = randbits(40)
        return self.id_prefix + "".join(_ID_LETTERS[bits >> shift & 31] for shift in range(0, 40, 5))

    def blank_details(self) -> dict[str, Any]:
        """Return a null for each detail."""
        return dict.fromkeys(self.fields)


DEFINITIONS: Final[Mapping[str, Definition]] = {
    definition.name: definition
    for definition in (
        Definition(DRIVER, DriverDetails, given_id_required="Employee number is required"),
        Definition(TRAILER, TrailerDetails, id_may_be_given=False, id_prefix="TRL-"),
        Definition(HORSE, HorseDetails, id_prefix="HRS-", shows_times=True),
        Definition(LOCATION, LocationDetails, id_may_be_given=False, id_prefix="LOC-", shows_times=True),
    )
}

EVENT_CLASSES: Final[Mapping[str, type[Event]]] = {
    event_class.kind: event_class for event_class in (Registered, DetailsChanged, Removed)
}

TOPICS: Final = tuple(f"{entity}.{kind}" for entity in DEFINITIONS for kind in EVENT_CLASSES)
"""What the log calls each kind of event, such as `driver.registered`."""


class UnreadableEvent(Exception):
    """A stored event is not of any known type and shape."""


def decode(topic: str, state: bytes, *, originator_id: str, version: int) -> Event:
    """Rebuild an event from what the log holds.

    Args:
        topic: `<entity>.<kind>`.
        state: the event's stored JSON.
        originator_id: the stream's name, `<entity>:<id>`.
        version: the event's version in its stream.

    Raises:
        UnreadableEvent: the topic is unknown, or the state is not of its shape.
    """
    entity, _, kind = topic.partition(".")
    event_class = EVENT_CLASSES.get(kind)
    if event_class is None or entity not in DEFINITIONS or not originator_id.startswith(f"{entity}:"):
        raise UnreadableEvent(f"unknown topic for version {version} of {originator_id}")
    try:
        return event_class.read(state, originator_id=originator_id, originator_version=version)
    except ValidationError as error:
        # Only where and which rule: the values may be personal data.
        places = "; ".join(f"{item['loc']}: {item['type']}" for item in error.errors(include_input=False))
        raise UnreadableEvent(f"version {version} of {originator_id}: {places}") from None
