"""Notifications on `PROJECTED_CHANNEL` after each commit that changed read tables.

`<projection>[,<projection>…]:<after>-<to>[:<stream>[,<stream>…]]`, such as
`drivers,revisions:7-8:driver:EMP-1`: these projections advanced from position `after` to `to`, and only rows
of these streams changed. Without a third part, rows of any stream may have changed; with an empty one, none
did. Changes without a next event, such as a rebuild, are notified as `<position>-<position>` without streams.

The notification follows the commit, so a crash may lose it; and any role that may connect can notify.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from ops.base.records.entities import ACTOR, is_id

STREAMS_BYTES: Final = 7_000
"""Limit of the streams' names; PostgreSQL accepts payloads of less than 8,000 bytes."""

_PAYLOAD: Final = re.compile(
    r"(?P<projections>[a-z_]+(?:,[a-z_]+)*):(?P<after>[0-9]{1,18})-(?P<to>[0-9]{1,18})(?::(?P<streams>.*))?"
)


@dataclass(frozen=True)
class ProjectionNotification:
    """The effect of a commit."""

    projections: tuple[str, ...]
    to: int
    after: int
    streams: frozenset[str] | None = None
    """The streams whose rows may have changed; None: any stream."""

    @classmethod
    def create(cls, projections: Iterable[str], *, after: int, to: int, streams: Iterable[str]) -> Self:
        """Describe a commit; too many streams, or invalid names, become None."""
        named = frozenset(streams)
        fits = sum(len(stream) + 1 for stream in named) <= STREAMS_BYTES
        return cls(tuple(projections), to, after, named if fits and all(map(_is_stream, named)) else None)

    @classmethod
    def parse(cls, payload: str) -> Self | None:
        """Parse a payload; return None if it is invalid: then any row may have changed."""
        match = _PAYLOAD.fullmatch(payload)
        if match is None:
            return None
        streams = match["streams"]
        named = None if streams is None else frozenset(filter(None, streams.split(",")))
        if named is not None and not all(map(_is_stream, named)):
            return None
        projections = tuple(match["projections"].split(","))
        return cls(projections, int(match["to"]), int(match["after"]), named)

    @property
    def payload(self) -> str:
        """The text to notify."""
        streams = "" if self.streams is None else f":{','.join(sorted(self.streams))}"
        return f"{','.join(self.projections)}:{self.after}-{self.to}{streams}"


def _is_stream(name: str) -> bool:
    entity, _, entity_id = name.partition(":")
    # An event about a user changes how rows of any stream show that user.
    return entity.isidentifier() and entity.isascii() and entity != ACTOR.name and is_id(entity_id)
