"""Notifications on `PROJECTED_CHANNEL` after each commit that changed read tables.

`<projection>[,<projection>…]:<after>-<to>[:<stream>[,<stream>…]]`, such as
`drivers,revisions:7-8:driver:EMP-1`: these projections went from position `after`, exclusive, to `to`, and
rows changed of these streams only. Without a third part, rows of any stream may have changed; with an empty
one, none did. Rows that are renewed without a next event, as by a rebuild, are notified as
`<position>-<position>` without streams.

The notification follows the commit, so a crash in between loses it; and any role that may connect can notify.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from ops.base.records.entities import ACTOR, is_id

STREAMS_BYTES: Final = 7_000
"""Of streams that are named; PostgreSQL takes payloads of less than 8,000 bytes."""

_PAYLOAD: Final = re.compile(
    r"(?P<projections>[a-z_]+(?:,[a-z_]+)*):(?P<after>[0-9]{1,18})-(?P<to>[0-9]{1,18})(?::(?P<streams>.*))?"
)


@dataclass(frozen=True)
class Projected:
    """The effect of a commit."""

    projections: tuple[str, ...]
    to: int
    """The position that they have reached."""
    after: int
    """The position that they were at before."""
    streams: frozenset[str] | None = None
    """Those of which rows have changed at most; None: any."""

    @classmethod
    def of(cls, projections: Iterable[str], *, after: int, to: int, streams: Iterable[str]) -> Self:
        """Describe a commit.

        Args:
            projections: which have moved.
            after: from where.
            to: to where.
            streams: of all events in between; where they are too many to be named, or have names that are
                none of ours, any may have changed.
        """
        named = frozenset(streams)
        fits = sum(len(stream) + 1 for stream in named) <= STREAMS_BYTES
        return cls(tuple(projections), to, after, named if fits and all(map(_is_stream, named)) else None)

    @classmethod
    def parse(cls, payload: str) -> Self | None:
        """Read a payload; None where it is none: then anything may have changed."""
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
        """What is notified of it."""
        streams = "" if self.streams is None else f":{','.join(sorted(self.streams))}"
        return f"{','.join(self.projections)}:{self.after}-{self.to}{streams}"


def _is_stream(name: str) -> bool:
    entity, _, entity_id = name.partition(":")
    # What is decided about somebody who acts changes what is told of any stream.
    return entity.isidentifier() and entity.isascii() and entity != ACTOR.name and is_id(entity_id)
