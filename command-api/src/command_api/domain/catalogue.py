"""The entity types of the product, and the events they are made of."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from command_api.domain import entities
from command_api.domain.actor import ACTOR
from command_api.domain.definition import DEFINITIONS, STREAMS, define
from command_api.domain.events import (
    DetailsChanged,
    Erased,
    Event,
    HoldSet,
    Registered,
    Removed,
    Restricted,
    RestrictionLifted,
)

__all__ = ["ACTOR", "DEFINITIONS", "EVENT_CLASSES", "STREAMS", "unreadable_topics"]

for _module in sorted(module.name for module in iter_modules(entities.__path__)):
    define(import_module(f"{entities.__name__}.{_module}").DEFINITION)

EVENT_CLASSES: Final[Mapping[str, type[Event]]] = {
    event_class.kind: event_class
    for event_class in (
        *(Registered, DetailsChanged, Removed),
        *(Restricted, HoldSet, RestrictionLifted, Erased),
    )
}

# Their schemas are released, and a value more in one would break who has read it.
_FIRST: Final = ("driver", "trailer", "horse", "location")
_FIRST_KINDS: Final = (Registered.kind, DetailsChanged.kind, Removed.kind)


def unreadable_topics(entity: str) -> tuple[str, ...]:
    """Return what the log may call an event of an entity type that cannot be read, if that is told at all.

    Of the kinds, and of the types besides its own, those that there were in the beginning.
    """
    return tuple(f"{name}.{kind}" for name in dict.fromkeys((*_FIRST, entity)) for kind in _FIRST_KINDS)
