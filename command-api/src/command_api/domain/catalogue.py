"""The entity types of the product, and the classes of their events."""

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

# Released schemas enumerate these; an additional value would break readers of them.
_FIRST: Final = ("driver", "trailer", "horse", "location")
_FIRST_KINDS: Final = (Registered.kind, DetailsChanged.kind, Removed.kind)


def unreadable_topics(entity: str) -> tuple[str, ...]:
    """Return the topics that public schemas allow for an unreadable event of an entity type.

    They cover the event kinds and entity types of the first release, and the type itself.
    """
    return tuple(f"{name}.{kind}" for name in dict.fromkeys((*_FIRST, entity)) for kind in _FIRST_KINDS)
