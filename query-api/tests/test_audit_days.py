"""Numbers of changes by day: time zones, filters, and records in the access log."""

from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from projections_testing.fleet import METADATA
from query_api_testing.served import FollowedFleet, at, recorded_views, viewed

from ops.testing.conditions import wait_until
from ops.testing.postgres import Database
from query_api.audit.parameters import starts_of_days

DAYS: Final = "/api/v1/audit/days"
TODAY: Final = "2026-11-21"
WEEK: Final = {"first": "2026-11-15", "last": TODAY}

# Clocks that were changed at midnight, by half an hour, over a whole day, to the west and to the east.
ZONES: Final = (
    "UTC",
    "Asia/Kolkata",
    "America/Sao_Paulo",
    "Pacific/Apia",
    "Australia/Lord_Howe",
    "Asia/Gaza",
)


@given(
    zone=st.sampled_from(ZONES),
    moment=st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    before=st.integers(0, 5),
)
def test_moment_belongs_to_the_calendar_day_of_its_zone(zone: str, moment: datetime, before: int) -> None:
    day = moment.astimezone(ZoneInfo(zone)).date()
    starts = starts_of_days(day - timedelta(days=before), before + 2, ZoneInfo(zone))
    assert starts == sorted(starts)
    assert starts[before] <= moment < starts[before + 1]


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("America/Sao_Paulo", date(2018, 11, 4), 23),  # no midnight
        ("Australia/Lord_Howe", date(2026, 4, 5), 24.5),
        ("Pacific/Apia", date(2011, 12, 30), 0),  # a skipped day
    ],
)
def test_length_of_a_day_follows_clock_changes(zone: str, day: date, hours: float) -> None:
    start, end = starts_of_days(day, 2, ZoneInfo(zone))
    assert (end - start) == timedelta(hours=hours)


@pytest.fixture
def fleet(fleet: FollowedFleet) -> FollowedFleet:
    """A fleet whose first events are at 04:10 in UTC, which is the day before in Honolulu."""
    fleet.register("driver", "EMP-1")
    fleet.register("horse", "HRS-1")
    fleet.change("driver", "EMP-1", city="Pune", name="Ravi K.")
    return fleet


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, {TODAY: 3}),
        ({"zone": "Asia/Kolkata"}, {TODAY: 3}),
        ({"zone": "Pacific/Honolulu"}, {"2026-11-20": 3}),
        ({"entity": "driver"}, {TODAY: 2}),
        ({"field": "city"}, {TODAY: 1}),
        ({"actor": METADATA.actor.sub, "type": "registered"}, {TODAY: 2}),
        ({"q": "pune"}, {TODAY: 1}),
        ({"from": at(2)}, {TODAY: 2}),
        ({"to": at(2)}, {TODAY: 1}),
        ({"first": "2026-11-15", "last": "2026-11-20"}, {}),
    ],
)
async def test_days_are_counted_with_the_filters_of_the_trail(
    client: httpx.AsyncClient, fleet: FollowedFleet, parameters: dict[str, str], expected: dict[str, int]
) -> None:
    answer = await client.get(DAYS, params={**WEEK, **parameters})
    assert answer.status_code == 200, answer.text
    days = answer.json()
    assert {one["day"]: one["changes"] for one in days["content"]} == expected
    assert days["next"] is None
    assert (days["zone"], days["first"]) == (parameters.get("zone", "UTC"), "2026-11-15")


async def test_days_up_to_today_are_counted_by_default(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    days = (await client.get(DAYS)).json()
    assert date.fromisoformat(days["last"]) - date.fromisoformat(days["first"]) == timedelta(days=90)


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"zone": "Mars/Olympus"}, "zone"),
        ({"zone": "../../etc/passwd"}, "zone"),
        ({"zone": "America"}, "zone"),  # a folder of zones
        ({"zone": ""}, "zone"),
        ({"last": "2026-02-30"}, "last"),
        ({"first": "20261115"}, "first"),
        ({"first": "0001-01-01"}, "first"),
        ({"first": "2026-11-22"}, "first"),
        ({"first": "2025-10-17"}, "first"),  # 401 days
        ({"cursor": "-1"}, "cursor"),
        ({"entity": "ship"}, "entity"),
    ],
)
async def test_bad_parameter_of_days_is_refused(
    client: httpx.AsyncClient, parameters: dict[str, str], field: str
) -> None:
    answer = await client.get(DAYS, params={"last": TODAY, **parameters})
    assert answer.status_code == 422, answer.text
    assert [error["field"] for error in answer.json()["validation_errors"]] == [field]


async def test_masked_user_cannot_count_by_personal_data(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    assert (await masked_client.get(DAYS, params={**WEEK, "q": "pune"})).json()["content"] == []
    assert (await masked_client.get(DAYS, params={**WEEK, "field": "city"})).status_code == 403
    assert (await masked_client.get(DAYS, params=WEEK)).content == (
        await client.get(DAYS, params=WEEK)
    ).content


async def test_only_counts_by_personal_data_are_recorded(
    fleet: FollowedFleet, database: Database, client: httpx.AsyncClient
) -> None:
    for parameters in ({"entity": "driver"}, {"entity": "driver", "field": "city"}):
        assert (await client.get(DAYS, params={**WEEK, **parameters})).status_code == 200
    await wait_until(lambda: viewed(database) > 0)
    (view,) = recorded_views(fleet.connection)
    assert (view["route"], view["kind"], view["entity"], view["count"]) == (DAYS, "audit", "driver", 1)
    assert view["filter"] == {**WEEK, "entity": "driver", "field": "city"}
