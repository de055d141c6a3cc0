"""Names of the users who caused events and accesses."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from ops.base.encryption.actors import ACTORS, ActorEntry
from ops.base.records.masks import ERASED, MASKED


class ActorName(NamedTuple):
    """A user's name at a time, if the caller may see it."""

    name: str | None
    masked_as: str | None = None
    """Why the name is missing: `MASKED`, `ERASED`, or None if it is not."""


class ActorNames:
    """The names of some users; see `load_actor_names`."""

    def __init__(self, actors: Mapping[str, ActorEntry], *, restricted: bool) -> None:
        self._actors = actors
        self._restricted = restricted

    def of(self, sub: str | None, moment: datetime, own: str | None) -> ActorName:
        """Return the name of a user at a time.

        Args:
            sub: the subject; None: the event has no actor.
            own: the name in the event or access itself, if it has one.
        """
        actor = None if sub is None else self._actors.get(sub)
        if actor is not None and actor.is_erased:
            return ActorName(None, ERASED)
        if actor is not None and actor.is_restricted and not self._restricted:
            return ActorName(None, MASKED)
        name = own or (actor and actor.name(moment))
        return ActorName(name, None if name or sub is None else ERASED)


async def load_actor_names(
    wanted: Iterable[tuple[str | None, datetime]], *, restricted: bool = False
) -> ActorNames:
    """Load the names that users had at given times; raises `KeysUnavailable`.

    Args:
        restricted: whether the caller may see names whose use is restricted.
    """
    actors = await ACTORS.load((sub, moment) for sub, moment in wanted if sub is not None)
    return ActorNames(actors, restricted=restricted)
