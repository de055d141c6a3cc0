"""Values that lists can be filtered by, over HTTP."""

from typing import Final

import httpx
import pytest
from query_api_testing.served import FollowedFleet

from query_api.paging.choices import MOST_CHOICES

CHOICES: Final = "/api/v1/lists/drivers/choices"


@pytest.fixture
def fleet(fleet: FollowedFleet) -> FollowedFleet:
    for number, city in enumerate(("Hosur", "Pune", "PUNE", "Mumbai", "pune")):
        details = {"city": city, "country": "India" if number < 3 else "Nepal"}
        fleet.register("driver", f"EMP-{number}", **details)
    return fleet


@pytest.mark.usefixtures("fleet")
@pytest.mark.parametrize(
    ("query", "choices"),
    [
        ("", [("Pune", 3), ("Hosur", 1), ("Mumbai", 1)]),
        ("&city=Hosur", [("Pune", 3), ("Hosur", 1), ("Mumbai", 1)]),
        ("&country=nepal", [("Mumbai", 1), ("pune", 1)]),
        ("&q=emp-2", [("PUNE", 1)]),
        ("&country=nepal&q=emp-2", []),
    ],
)
async def test_values_are_counted_in_the_filtered_rows(
    client: httpx.AsyncClient, query: str, choices: list[tuple[str, int]]
) -> None:
    answer = await client.get(f"{CHOICES}?field=city{query}")
    expected = [{"value": value, "count": count} for value, count in choices]
    assert answer.json() == {"choices": expected, "more": False}
    known = {"If-None-Match": answer.headers["etag"]}
    assert (await client.get(f"{CHOICES}?field=city{query}", headers=known)).status_code == 304


async def test_only_the_most_frequent_values_are_listed(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    for number in range(MOST_CHOICES):
        fleet.register("driver", f"NEW-{number}", city=f"City {number}")
    answer = (await client.get(f"{CHOICES}?field=city")).json()
    assert answer["more"]
    assert len(answer["choices"]) == MOST_CHOICES
    assert answer["choices"][0] == {"value": "Pune", "count": 3}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "Must be given"),
        ("?field=name", "Must be one of city, country"),
        ("?field=passport_expiry_date", "Must be one of city, country"),
        ("?field=city&field=city", "May be given only once"),
    ],
)
async def test_field_without_choices_is_refused(client: httpx.AsyncClient, query: str, message: str) -> None:
    answer = await client.get(CHOICES + query)
    assert answer.status_code == 422
    (error,) = answer.json()["validation_errors"]
    assert (error["field"], error["message"]) == ("field", message)
