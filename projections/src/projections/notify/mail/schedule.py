"""Times of daily digests: one for each local day."""

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

_DAY = timedelta(days=1)


class Schedule(NamedTuple):
    """An hour of each day in a time zone."""

    hour: int
    zone: ZoneInfo

    def moment_of(self, day: date) -> datetime:
        """Return when the digest of a local day is due.

        If summer time skips the hour, that is the moment of the change; if the hour occurs twice, the first.
        """
        return datetime.combine(day, time(self.hour), self.zone).astimezone(UTC)

    def next_digest(self, now: datetime, last: date | None) -> tuple[date, datetime]:
        """Return the local day of the next digest and its moment, which has passed if it is due now.

        After downtime only the latest due digest remains.

        Args:
            last: the day of the last digest; None: there was none.
        """
        day = self.local_day(now)
        if self.moment_of(day) > now:
            day -= _DAY
        if last is not None and last >= day:
            day = last + _DAY
        return day, self.moment_of(day)

    def local_day(self, now: datetime) -> date:
        """Return the day of a moment in this time zone."""
        return now.astimezone(self.zone).date()
