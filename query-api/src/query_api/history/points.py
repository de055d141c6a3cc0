"""A point in an entity's past: a version, or an instant."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from query_api.parameters import BadParameter, read_parameters, whole_number

MAX_VERSION: Final = 2**53 - 1

# RFC 3339, section 5.6. A plus sign that was not escaped arrives as a blank.
_INSTANT: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,9})?"
    r"([Zz]|[+\- ][0-9]{2}:[0-9]{2})",
    re.ASCII,
)
_INSTANT_EXPECTED: Final = "Must be a date and time with its time zone, such as 2026-11-21T09:30:00+05:30"


@dataclass(frozen=True)
class Point:
    """Exactly one of the two is given."""

    version: int | None = None
    moment: datetime | None = None
    """In UTC."""


def read_point(query: bytes, *, now: datetime) -> Point | None:
    """Read the parameters `version` and `as_of`.

    Args:
        query: the address's query as it was sent.
        now: nobody knows what comes after it.

    Returns:
        The point; None where neither is given: then the present is asked for.

    Raises:
        Problem: 422, one of them is bad, or both are given.
    """
    # `as_of` comes second, so that it is the one that is told to be too many.
    version_given = False

    def version(text: str) -> dict[str, Any]:
        nonlocal version_given
        version_given = True
        return {"version": whole_number(text, 1, MAX_VERSION)}

    def as_of(text: str) -> dict[str, Any]:
        if version_given:
            raise BadParameter("Must not be given together with version")
        return {"moment": read_instant(text, now=now)}

    members = read_parameters(query, {"version": version, "as_of": as_of})
    return Point(**members) if members else None


def read_moment(query: bytes, *, now: datetime) -> datetime | None:
    """Read the parameter `as_of` alone; see `read_point`."""
    members = read_parameters(query, {"as_of": lambda text: {"moment": read_instant(text, now=now)}})
    return members.get("moment")


def version_reader(name: str) -> Callable[[str], dict[str, Any]]:
    """Return what reads a version from a parameter; 0 is the state before the first."""
    return lambda text: {name: whole_number(text, 0, MAX_VERSION)}


def read_instant(text: str, *, now: datetime | None = None) -> datetime:
    """Return the instant that a text names, in UTC; what is finer than a microsecond is cut off.

    The log counts microseconds, so an event is not after the instant that was meant exactly when it is not
    after the one that is returned.

    Args:
        text: as RFC 3339 has it.
        now: the latest instant that may be named; None: any.

    Raises:
        BadParameter: it is none, or one to come.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise BadParameter(_INSTANT_EXPECTED)
    date, time, fraction, zone = match.groups()
    zone = "+00:00" if zone in "Zz" else zone.replace(" ", "+")
    try:
        instant = datetime.fromisoformat(f"{date}T{time}{(fraction or '')[:7]}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadParameter(_INSTANT_EXPECTED) from None
    if now is not None and instant > now:
        raise BadParameter("Must not be in the future")
    return instant
