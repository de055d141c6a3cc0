"""Somebody who acts: no record, but a stream of what was decided about what they are called."""

from dataclasses import dataclass
from typing import Any, Final

from command_api.domain.aggregate import Aggregate, RuleBroken
from command_api.domain.definition import STREAMS, Definition, Details
from command_api.domain.events import EventMetadata
from ops.base.records import entities


@dataclass(frozen=True)
class Actor(Aggregate):
    """Somebody whom the directory of actors knows; their id is the identity provider's."""

    may_be_unused = True

    def _next(self, metadata: EventMetadata) -> dict[str, Any]:
        if metadata.actor.sub == self.id:
            raise RuleBroken("Nobody decides that about themselves.")
        return super()._next(metadata)


ACTOR: Final = Definition(named=entities.ACTOR, details=Details, aggregate=Actor, example_id="dev|asha")
STREAMS[ACTOR.name] = ACTOR
