"""What those are called who did something: by the event itself where it says so, else by the directory."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from ops.base.encryption.actor import Actor
from ops.base.encryption.actors import ACTORS
from ops.base.records.masks import ERASED, MASKED


class ActorName(NamedTuple):
    """What somebody was called."""

    name: str | None
    masked_as: str | None = None
    """The member that says why nobody is told; None: somebody is."""


class ActorNames:
    """What some people were called."""

    def __init__(self, actors: Mapping[str, Actor], *, restricted: bool) -> None:
        """Take them as the directory has them; see `load_actor_names`."""
        self._actors = actors
        self._restricted = restricted

    def of(self, sub: str | None, moment: datetime, own: str | None) -> ActorName:
        """Return what somebody was called.

        Args:
            sub: the subject; None: nobody knows who it was.
            moment: when.
            own: what the event or access says itself.
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
    """Return what some were called at moments.

    Args:
        wanted: subjects, and when.
        restricted: whether it is told as well where that is restricted.

    Raises:
        KeysUnavailable: their names cannot be opened now.
    """
    actors = await ACTORS.load((sub, moment) for sub, moment in wanted if sub is not None)
    return ActorNames(actors, restricted=restricted)
