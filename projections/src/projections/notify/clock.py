"""The time of deliveries, which tests drive."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the current time, with a time zone."""


def system_clock() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)
