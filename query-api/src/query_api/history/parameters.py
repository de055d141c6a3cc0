"""Query parameters of the past: a version, an instant, a part of a history."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final, Literal

from pydantic import Field, field_validator

from query_api.http.parameters import (
    PLAIN_TEXT,
    BadParameter,
    PartParameters,
    QueryParameters,
    not_together_with,
    one_of,
    parameter,
    whole_number,
)

MAX_VERSION: Final = 2**53 - 1
MOMENT: Final = "2026-11-21T04:10:45.123456Z"
BATCH: Final = "7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11"
"""An example of an instant."""

# RFC 3339, section 5.6. A plus sign that was not escaped arrives as a blank.
_INSTANT: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,9})?"
    r"([Zz]|[+\- ][0-9]{2}:[0-9]{2})",
    re.ASCII,
)
_INSTANT_EXPECTED: Final = "Must be a date and time with its time zone, such as 2026-11-21T09:30:00+05:30"


def read_instant(text: str) -> datetime:
    """Return the instant that a text names, in UTC; what is finer than a microsecond is cut off.

    The log counts microseconds, so an event is not after the instant that was meant exactly when it is not
    after the one that is returned.

    Args:
        text: as RFC 3339 has it.

    Raises:
        BadParameter: it is none.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise BadParameter(_INSTANT_EXPECTED)
    date, time, fraction, zone = match.groups()
    zone = "+00:00" if zone in "Zz" else zone.replace(" ", "+")
    try:
        return datetime.fromisoformat(f"{date}T{time}{(fraction or '')[:7]}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadParameter(_INSTANT_EXPECTED) from None


def _past(text: str) -> datetime:
    instant = read_instant(text)
    if instant > datetime.now(UTC):  # nobody knows what comes
        raise BadParameter("Must not be in the future")
    return instant


INSTANT: Final = parameter(read_instant, datetime)
_AS_OF = Field(
    description="What was then: an instant of the past, as RFC 3339 has it, with its time zone."
    " Needs `history:read`, too",
    examples=[MOMENT, "2026-11-21T09:40:45+05:30"],
)
AsOf = Annotated[datetime | None, parameter(_past, datetime), _AS_OF]


@dataclass(frozen=True)
class Point:
    """Exactly one of the two is given."""

    version: int | None = None
    moment: datetime | None = None
    """In UTC."""


class PointParameters(QueryParameters):
    """What one asks of a record: what it is, or what it was."""

    version: Annotated[int | None, whole_number(1, MAX_VERSION)] = Field(
        None,
        description="What was at this version; not together with `as_of`. Needs `history:read`, too",
        examples=[1],
    )
    # It comes second, so that it is the one that is told to be too many.
    as_of: AsOf = None

    _is_alone = field_validator("as_of", mode="before")(not_together_with("version"))

    @property
    def point(self) -> Point | None:
        """The point; None where neither is given: then the present is asked for."""
        return Point(self.version, self.as_of) if self.version or self.as_of else None


_VERSION: Final = whole_number(0, MAX_VERSION)


class HistoryParameters(PartParameters):
    """A part of an entity's history."""

    order: Annotated[Literal["asc", "desc"], one_of("asc", "desc", message="Must be asc or desc")] = Field(
        "asc", description="By default the oldest first", examples=["desc"]
    )
    field: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only changes of this field", examples=["city"]
    )
    actor: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only changes by this subject", examples=["dev|asha"]
    )


class DiffParameters(QueryParameters):
    """From one version to another; 0 is before the first."""

    first: Annotated[int, _VERSION] = Field(alias="from", description="The one version", examples=[1])
    last: Annotated[int, _VERSION] = Field(alias="to", description="The other version", examples=[2])
