"""What there is to answer, with its entity tag, or that there is nothing."""

from dataclasses import dataclass

from ops.base.http.consistency import LogPosition


@dataclass(frozen=True, slots=True)
class Content:
    """What there is to answer."""

    etag: str
    json: bytes | None
    """None where the client has it already, or where it is too long."""
    stale: bool
    """Whether events of it could not be applied, and it is as it was before them."""
    long_at: LogPosition | None = None
    """Of a list that is too long to be read at once: the position up to which it tells."""
    count: int | None = None
    """How many rows or changes are in it, where they were counted."""
    restricted: bool = False
    """Whether it is to be masked for whoever may not see what is restricted."""


@dataclass(frozen=True)
class Missing:
    """That there is no such record."""

    stale: bool = False
    """Whether it may be there, for events of it could not be applied."""
