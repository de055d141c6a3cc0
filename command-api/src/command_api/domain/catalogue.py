"""The entity types of the product, and the events they are made of."""

from collections.abc import Mapping
from typing import Final

from command_api.domain.definition import DEFINITIONS, define
from command_api.domain.entities.driver import DRIVER
from command_api.domain.entities.horse import HORSE
from command_api.domain.entities.location import LOCATION
from command_api.domain.entities.trailer import TRAILER
from command_api.domain.events import DetailsChanged, Event, Registered, Removed

__all__ = ["DEFINITIONS", "EVENT_CLASSES", "TOPICS"]

for _definition in (DRIVER, TRAILER, HORSE, LOCATION):
    define(_definition)

EVENT_CLASSES: Final[Mapping[str, type[Event]]] = {
    event_class.kind: event_class for event_class in (Registered, DetailsChanged, Removed)
}

TOPICS: Final = tuple(f"{entity}.{kind}" for entity in DEFINITIONS for kind in EVENT_CLASSES)
"""What the log calls each kind of event, such as `driver.registered`."""
