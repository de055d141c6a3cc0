"""The actor: a user of the identity provider, with a stream of decisions about personal data alone."""

from dataclasses import dataclass
from typing import Any, Final

from command_api.domain.aggregate import Aggregate, RuleBroken
from command_api.domain.definition import STREAMS, Definition, Details
from command_api.domain.events import EventMetadata
from ops.base.records import entities


@dataclass(frozen=True)
class ActorAggregate(Aggregate):
    """A user in the directory of actors, identified by the identity provider's subject."""

    may_be_unused = True

    def _next(self, metadata: EventMetadata) -> dict[str, Any]:
        if metadata.actor.sub == self.id:
            raise RuleBroken("You cannot decide this about yourself. Ask another user.")
        return super()._next(metadata)


ACTOR: Final = Definition(
    base=entities.ACTOR, details=Details, aggregate=ActorAggregate, example_id="dev|asha"
)
STREAMS[ACTOR.name] = ACTOR
