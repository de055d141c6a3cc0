"""What is asked of a history: which part of it, and between which versions."""

from dataclasses import dataclass
from typing import Final

from ops.base.problems import ValidationError, validation_failed
from query_api.history.points import MAX_VERSION, version_reader
from query_api.parameters import BadParameter, plain_text, read_parameters, whole_number

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000


@dataclass(frozen=True)
class Part:
    """A part of an entity's history."""

    cursor: int | None = None
    """The version after which it begins (when descending, before which); None: at the beginning."""
    limit: int = DEFAULT_LIMIT
    descending: bool = False
    field: str | None = None
    """Only changes of this field."""
    actor: str | None = None
    """Only changes by whoever has this subject."""


@dataclass(frozen=True)
class Span:
    """From one version to another; 0 is before the first."""

    first: int
    last: int


def read_part(query: bytes) -> Part:
    """Read the parameters `cursor`, `limit`, `order`, `field` and `actor`.

    Raises:
        Problem: 422 with an error for each parameter that is bad.
    """
    return Part(
        **read_parameters(
            query,
            {
                "cursor": lambda text: {"cursor": whole_number(text, 0, MAX_VERSION)},
                "limit": lambda text: {"limit": whole_number(text, 1, MAX_LIMIT)},
                "order": lambda text: {"descending": _is_descending(text)},
                "field": lambda text: {"field": plain_text(text)},
                "actor": lambda text: {"actor": plain_text(text)},
            },
        )
    )


def read_span(query: bytes) -> Span:
    """Read the parameters `from` and `to`, both of which must be given.

    Raises:
        Problem: 422 with an error for each parameter that is bad.
    """
    readers = {"from": version_reader("first"), "to": version_reader("last")}
    members = read_parameters(query, readers)
    missing = [
        ValidationError.at(name, message="Must be given")
        for name, member in (("from", "first"), ("to", "last"))
        if member not in members
    ]
    if missing:
        raise validation_failed(missing)
    return Span(**members)


def _is_descending(text: str) -> bool:
    if text not in ("asc", "desc"):
        raise BadParameter("Must be asc or desc")
    return text == "desc"
