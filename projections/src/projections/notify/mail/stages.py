"""The reminders of a document: before its last valid day, on it, and every week after it."""

from datetime import date
from typing import Final, NamedTuple

BEFORE: Final = (-30, -14, -7, -1, 0)
"""Stages up to the last day; a stage is a number of days after the last day."""
FIRST: Final = min(BEFORE)
WEEK: Final = 7


class Reminder(NamedTuple):
    """The reminder that was sent last for a document."""

    last_day: date
    stage: int


def current_stage(last_day: date, day: date) -> int | None:
    """Return the latest stage that has begun on a day; None before the first."""
    passed = (day - last_day).days
    if passed >= WEEK:
        return passed - passed % WEEK
    return max((stage for stage in BEFORE if stage <= passed), default=None)


def due_reminder(last_day: date, day: date, sent: Reminder | None) -> Reminder | None:
    """Return the reminder to send on a day; None if the current stage was sent, or none has begun.

    Stages that were missed are skipped. A renewed document has another last day, and starts again.
    """
    stage = current_stage(last_day, day)
    if stage is None or (sent is not None and sent.last_day == last_day and sent.stage >= stage):
        return None
    return Reminder(last_day, stage)
