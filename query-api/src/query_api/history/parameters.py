"""Query parameters of the past: versions, instants, and pages of a history."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import Field, field_validator

from query_api.http.parameters import (
    PLAIN_TEXT,
    BadParameter,
    PageParameters,
    QueryParameters,
    not_together_with,
    parameter,
    whole_number,
)

MAX_VERSION: Final = 2**53 - 1
MOMENT: Final = "2026-11-21T04:10:45.123456Z"
BATCH: Final = "7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11"

# RFC 3339, section 5.6. An unescaped plus sign arrives as a space.
_INSTANT: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,9})?"
    r"([Zz]|[+\- ][0-9]{2}:[0-9]{2})",
    re.ASCII,
)
_INSTANT_EXPECTED: Final = "Must be a date and time with its time zone, such as 2026-11-21T09:30:00+05:30"


def read_instant(text: str) -> datetime:
    """Return the instant of an RFC 3339 text in UTC, truncated to microseconds, or raise `BadParameter`.

    The log's moments have microseconds, so the truncation changes no comparison with them.
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
    if instant > datetime.now(UTC):
        raise BadParameter("Must not be in the future")
    return instant


INSTANT: Final = parameter(read_instant, datetime)
_AS_OF = Field(
    description="The state at an instant in the past (RFC 3339 with a time zone). Needs `history:read`, too",
    examples=[MOMENT, "2026-11-21T09:40:45+05:30"],
)
AsOf = Annotated[datetime | None, parameter(_past, datetime), _AS_OF]


@dataclass(frozen=True)
class Point:
    """A point in a record's past; exactly one of the fields is set."""

    version: int | None = None
    moment: datetime | None = None
    """In UTC."""


class PointParameters(QueryParameters):
    """Query parameters of a record: its current state, or one in the past."""

    version: Annotated[int | None, whole_number(1, MAX_VERSION)] = Field(
        None,
        description="The state at this version; not together with `as_of`. Needs `history:read`, too",
        examples=[1],
    )
    as_of: AsOf = None

    _not_with_version = field_validator("as_of", mode="before")(not_together_with("version"))

    @property
    def point(self) -> Point | None:
        """The point in the past, or None for the current state."""
        return Point(self.version, self.as_of) if self.version or self.as_of else None


_VERSION: Final = whole_number(0, MAX_VERSION)


class HistoryParameters(PageParameters):
    """Query parameters of a history."""

    field: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only changes of this field", examples=["city"]
    )
    actor: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only changes by this subject", examples=["dev|asha"]
    )


class DiffParameters(QueryParameters):
    """Query parameters of a comparison; version 0 is before the first."""

    first: Annotated[int, _VERSION] = Field(alias="from", description="The first version", examples=[1])
    last: Annotated[int, _VERSION] = Field(alias="to", description="The second version", examples=[2])
