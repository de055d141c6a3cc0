"""Pages of lists over HTTP."""

import httpx
import pytest
from query_api_testing.served import FollowedFleet

from query_api.paging.choices import MOST_CHOICES
from read_model.tables import ENTITY_TABLES, EntityTable

LIST = "/api/v1/drivers"
CHOICES = "/api/v1/lists/drivers/choices?field=city"


async def test_page_has_rows_of_the_list_and_its_number(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    for number in range(5):
        fleet.register("driver", f"EMP-{number}")
    whole = (await client.get(LIST)).json()
    assert list(whole) == ["content"]
    answer = await client.get(LIST, params={"page": 1, "size": 2})
    assert answer.json() == {
        "content": whole["content"][2:4],
        "page": {"size": 2, "number": 1, "totalElements": 5, "totalPages": 3},
    }
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "private, no-cache, no-transform"
    assert answer.headers["vary"] == "Authorization, Accept-Encoding"


async def test_list_is_filtered_searched_and_sorted(client: httpx.AsyncClient, fleet: FollowedFleet) -> None:
    cities, expiries = ("Pune", "Mum\u200bbai", "pune"), ("2026-12-02", "2026-12-01", "2026-11-30")
    for number, (city, expiry) in enumerate(zip(cities, expiries, strict=True), 1):
        name = "Zoë Ünal" if number == 3 else "Ravi"
        fleet.register("driver", f"EMP-{number}", name=name, city=city, driving_license_expiry=expiry)
    for query, found in (
        ("city=Pune&city=mumbai", ["EMP-1", "EMP-2", "EMP-3"]),
        ("q=pun&q_in=list", []),
        ("q=mumbai", ["EMP-2"]),  # invisible characters are ignored
        ("q=m%E2%80%8Bumb%C2%ADai", ["EMP-2"]),
        ("q=ZO%C3%8B%20%C3%BC", ["EMP-3"]),
        *((f"q={q}", []) for q in ("p_ne", "Pun%25", "Canara", "M1234567", "EMP-1EMP-2", "[a-z]", "null")),
        ("city=pune&q=emp&sort=driving_license_expiry,asc", ["EMP-3", "EMP-1"]),
        ("driving_license_expiry=!..2026-11-30&driving_license_expiry=..2026-12-01", ["EMP-2"]),
    ):
        answer = (await client.get(f"{LIST}?{query}")).json()
        assert [item["id"] for item in answer["content"]] == found
        assert answer["page"] == {
            "size": 20,
            "number": 0,
            "totalElements": len(found),
            "totalPages": bool(found),
        }


async def test_list_is_complete_up_to_a_number_of_rows(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    for number in range(3):
        fleet.register("driver", f"EMP-{number}")
    for one in (client, masked_client):
        whole = await one.get(LIST)
        same = await one.get(f"{LIST}?whole_up_to=3")
        assert (same.content, same.headers["etag"]) == (whole.content, whole.headers["etag"])
        counted = await one.get(f"{LIST}?whole_up_to=2")
        assert counted.json() == {
            "content": [],
            "page": {"size": 1, "number": 2**31 - 1, "totalElements": 3, "totalPages": 3},
        }
        for answer in (same, counted):
            known = {"If-None-Match": answer.headers["etag"]}
            again = await one.get(str(answer.request.url), headers=known)
            assert (again.status_code, again.content) == (304, b"")
        fleet.change("driver", "EMP-1", city=f"Pune {one}")
        assert (await one.get(f"{LIST}?whole_up_to=2", headers=known)).status_code == 200


@pytest.mark.parametrize("table", ENTITY_TABLES, ids=lambda table: table.name)
def test_searched_fields_are_in_the_list(table: EntityTable) -> None:
    properties = table.entity.list_schema["properties"]
    for path in table.entity.searched:
        first, _, member = path.partition(".")
        assert first in properties
        assert not member or member in properties[first]["properties"]
        assert not any(word in path for word in ("bank", "ifsc", "swift", "passport", "license", "expiry"))


async def test_each_view_has_its_own_etag_that_changes_with_the_list(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    asked = (
        "page=0",
        "page=1",
        "size=1",
        "sort=name,asc",
        "sort=name,desc",
        "q=a",
        "q=b",
        "q=b&q_in=list",
        "city=a",
        "city=b",
    )
    views = ("", *(f"?{one}" for one in asked))

    async def etags() -> dict[str, str]:
        return {view: (await client.get(LIST + view)).headers["etag"] for view in views}

    fleet.register("driver", "EMP-1")
    before = await etags()
    assert len(set(before.values())) == len(views)
    assert before[""].endswith('-0-1"')
    fleet.register("horse", "HRS-1")
    assert await etags() == before
    for view, etag in before.items():
        for known in (etag, f'W/{etag}, "x"', "*"):
            answer = await client.get(LIST + view, headers={"If-None-Match": known})
            assert (answer.status_code, answer.content) == (304, b"")
            assert answer.headers["etag"] == etag
        other = next(other for other in before.values() if other != etag)
        assert (await client.get(LIST + view, headers={"If-None-Match": other})).status_code == 200
    fleet.change("driver", "EMP-1", city="Pune")
    assert not set((await etags()).values()) & set(before.values())


async def test_choices_are_the_most_frequent_values_of_the_filtered_rows(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    for number, city in enumerate(("Hosur", "Pune", "PUNE", "Mumbai", "pune")):
        fleet.register("driver", f"EMP-{number}", city=city, country="India" if number < 3 else "Nepal")
    answer = await client.get(f"{CHOICES}&city=Hosur&country=india")
    expected = [{"value": "Pune", "count": 2}, {"value": "Hosur", "count": 1}]
    assert answer.json() == {"choices": expected, "more": False}
    known = {"If-None-Match": answer.headers["etag"]}
    assert (await client.get(f"{CHOICES}&city=Hosur&country=india", headers=known)).status_code == 304
    for number in range(MOST_CHOICES):
        fleet.register("driver", f"NEW-{number}", city=f"City {number}")
    many = (await client.get(CHOICES)).json()
    assert (many["more"], len(many["choices"])) == (True, MOST_CHOICES)
    assert many["choices"][0] == {"value": "Pune", "count": 3}
