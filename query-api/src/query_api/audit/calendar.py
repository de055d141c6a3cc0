"""Days as a time zone's clocks have them."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from query_api.http.parameters import BadParameter

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+\-/]{0,63}", re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_FIRST, _LAST = date(1970, 1, 1), date(9998, 12, 31)


def read_zone(text: str) -> str:
    """Return the name of a time zone that is known here (IANA's).

    Raises:
        BadParameter: it is not known.
    """
    try:
        is_known = _NAME.fullmatch(text) is not None and zone_of(text) is not None
    except (LookupError, ValueError, OSError):
        is_known = False
    if not is_known:
        raise BadParameter("Must be a time zone's name, such as Asia/Kolkata")
    return text


def zone_of(name: str) -> tzinfo:
    """Return a zone that `read_zone` knows."""
    return UTC if name == "UTC" else ZoneInfo(name)


def read_day(text: str) -> date:
    """Return the day that a text names.

    Raises:
        BadParameter: it names none.
    """
    try:
        day = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None or not _FIRST <= day <= _LAST:
        raise BadParameter("Must be a day, such as 2026-11-21")
    return day


def starts_of_days(first: date, count: int, zone: tzinfo) -> list[datetime]:
    """Return when each of some days begins, in UTC; two are the same where clocks skipped a whole day."""
    days = (first + timedelta(days=number) for number in range(count))
    return [datetime.combine(day, time.min, zone).astimezone(UTC) for day in days]
