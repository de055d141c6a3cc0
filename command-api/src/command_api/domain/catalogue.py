"""The entity types of the product, and the events they are made of."""

from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError

from command_api.domain.definition import DEFINITIONS, define
from command_api.domain.entities.driver import DRIVER
from command_api.domain.entities.horse import HORSE
from command_api.domain.entities.location import LOCATION
from command_api.domain.entities.trailer import TRAILER
from command_api.domain.events import DetailsChanged, Event, Registered, Removed

__all__ = ["DEFINITIONS", "EVENT_CLASSES", "TOPICS", "UnreadableEvent", "decode"]

for _definition in (DRIVER, TRAILER, HORSE, LOCATION):
    define(_definition)

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
