"""Stages of reminders and times of digests, compared with simulations of days and of quarters of an hour."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.notify.mail.schedule import Schedule
from projections.notify.mail.stages import current_stage, due_reminder

ZONES = ["Asia/Kolkata", "America/Los_Angeles", "Pacific/Kiritimati", "Europe/Berlin", "Australia/Lord_Howe"]
QUARTER = timedelta(minutes=15)

days = st.dates(date(2026, 1, 1), date(2028, 12, 31))
changes = st.sampled_from([date(2026, 3, 8), date(2026, 3, 29), date(2026, 10, 25), date(2027, 4, 4)])
zones = st.sampled_from(ZONES)
hours = st.integers(0, 23)


def announced(last_day: date, day: date) -> bool:
    """Return whether a stage begins on a day, as the product's page on reminders lists them."""
    left = (last_day - day).days
    return left in (30, 14, 7, 1, 0) or (left < 0 and left % 7 == 0)


@given(days, st.integers(-40, 120))
def test_current_stage_is_the_latest_that_was_announced(last_day: date, passed: int) -> None:
    day = last_day + timedelta(days=passed)
    stage = None
    for number in range(-60, passed + 1):
        if announced(last_day, last_day + timedelta(days=number)):
            stage = number
    assert current_stage(last_day, day) == stage


@given(days, st.data())
def test_digests_with_gaps_send_each_newest_stage_once(last_day: date, data: st.DataObject) -> None:
    first = last_day - timedelta(days=data.draw(st.integers(-5, 60)))
    working = data.draw(st.lists(st.booleans(), min_size=80, max_size=80))
    sent, is_pending = None, first > last_day - timedelta(days=30)
    for number, works in enumerate(working):
        day = first + timedelta(days=number)
        is_pending = is_pending or announced(last_day, day)
        if works:
            reminder = due_reminder(last_day, day, sent)
            assert (reminder is not None) == is_pending
            sent, is_pending = reminder or sent, False


@given(zones, hours, changes | days, st.lists(st.booleans(), min_size=20, max_size=20))
def test_each_local_day_has_one_digest_at_its_hour(
    zone: str, hour: int, begin: date, working: list[bool]
) -> None:
    schedule = Schedule(hour, ZoneInfo(zone))
    noon = datetime(begin.year, begin.month, begin.day, 12, tzinfo=UTC)
    moments = [noon + number * QUARTER for number in range(-192, 288)]
    due: dict[date, datetime] = {}
    for now in moments:
        local = now.astimezone(schedule.zone)
        if local.hour >= hour:
            due.setdefault(local.date(), now)
    last = None
    for number, now in enumerate(moments):
        latest = max((day for day, first in due.items() if first <= now), default=None)
        if latest is None or not working[number // 24]:  # six hours
            continue
        day, moment = schedule.next_digest(now, last)
        if last == latest:
            assert (day, moment > now) == (latest + timedelta(days=1), True)
        else:
            assert (day, moment <= now) == (latest, True)
            last = day


@pytest.mark.parametrize(
    ("zone", "hour", "day", "utc"),
    [
        ("Asia/Kolkata", 7, date(2026, 11, 27), "2026-11-27T01:30"),
        ("Pacific/Kiritimati", 7, date(2026, 11, 27), "2026-11-26T17:00"),
        ("America/Los_Angeles", 7, date(2026, 11, 27), "2026-11-27T15:00"),
        ("America/Los_Angeles", 2, date(2026, 3, 8), "2026-03-08T10:00"),  # skipped: at 3:00
        ("America/Los_Angeles", 1, date(2026, 11, 1), "2026-11-01T08:00"),  # repeated: the first
        ("America/Sao_Paulo", 0, date(2018, 11, 4), "2018-11-04T03:00"),  # midnight is skipped
    ],
)
def test_digest_is_due_at_the_local_hour(zone: str, hour: int, day: date, utc: str) -> None:
    assert Schedule(hour, ZoneInfo(zone)).moment_of(day).isoformat() == f"{utc}:00+00:00"
