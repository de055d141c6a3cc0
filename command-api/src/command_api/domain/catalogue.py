"""The entity types of the product, the actor, and the classes of their events."""

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from command_api.domain import entities
from command_api.domain.aggregate import Aggregate, RuleBroken
from command_api.domain.definition import DEFINITIONS, STREAMS, Definition, Details
from command_api.domain.events import EVENT_CLASSES, DetailsChanged, EventMetadata, Registered, Removed
from ops.base.records.entities import ACTOR as ACTOR_TYPE

__all__ = ["ACTOR", "DEFINITIONS", "EVENT_CLASSES", "STREAMS", "unreadable_topics"]

for _module in sorted(module.name for module in iter_modules(entities.__path__)):
    _definition = import_module(f"{entities.__name__}.{_module}").DEFINITION
    DEFINITIONS[_definition.name] = STREAMS[_definition.name] = _definition


@dataclass(frozen=True)
class ActorAggregate(Aggregate):
    """A user, identified by the identity provider's subject, with decisions about personal data alone."""

    may_be_unused = True

    def _next(self, metadata: EventMetadata) -> dict[str, Any]:
        if metadata.actor.sub == self.id:
            raise RuleBroken("You cannot decide this about yourself. Ask another user.")
        return super()._next(metadata)


ACTOR: Final = Definition(base=ACTOR_TYPE, details=Details, aggregate=ActorAggregate, example_id="dev|asha")
STREAMS[ACTOR.name] = ACTOR

# Released schemas enumerate these; an additional value would break readers of them.
_FIRST: Final = ("driver", "trailer", "horse", "location")
_FIRST_KINDS: Final = (Registered.kind, DetailsChanged.kind, Removed.kind)


def unreadable_topics(entity: str) -> tuple[str, ...]:
    """Return the topics that public schemas allow for an unreadable event of an entity type.

    They cover the event kinds and entity types of the first release, and the type itself.
    """
    return tuple(f"{name}.{kind}" for name in dict.fromkeys((*_FIRST, entity)) for kind in _FIRST_KINDS)
