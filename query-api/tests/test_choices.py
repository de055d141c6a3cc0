"""What lists can be narrowed to, as clients meet it."""

from typing import Final

import httpx
import pytest
from query_api_testing.served import FollowedFleet

from query_api.paging.choices import MOST_CHOICES

pytestmark = pytest.mark.integration

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
async def test_values_are_counted_among_the_rows_that_all_else_leaves(
    client: httpx.AsyncClient, query: str, choices: list[tuple[str, int]]
) -> None:
    answer = await client.get(f"{CHOICES}?field=city{query}")
    told = [{"value": value, "count": count} for value, count in choices]
    assert answer.json() == {"choices": told, "more": False}
    known = {"If-None-Match": answer.headers["etag"]}
    assert (await client.get(f"{CHOICES}?field=city{query}", headers=known)).status_code == 304


async def test_of_more_values_than_anybody_chooses_from_the_most_frequent_are_told(
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
async def test_what_is_no_field_to_choose_by_is_refused(
    client: httpx.AsyncClient, query: str, message: str
) -> None:
    answer = await client.get(CHOICES + query)
    assert answer.status_code == 422
    (error,) = answer.json()["validation_errors"]
    assert (error["field"], error["message"]) == ("field", message)
