"""Possible duplicates: pairs, suggestions and dismissals over HTTP, of an encrypted fleet."""

from typing import Any, Final

import httpx
import pytest
from projections_testing.fleet import METADATA
from query_api_testing.served import FollowedFleet, recorded_views, viewed

from ops.base.database.pools import Pool
from ops.testing.conditions import wait_until
from ops.testing.postgres import Database
from query_api.due import DRIVERS
from query_api.possible_duplicates.scored_pairs import ScoredPairs

PATH: Final = "/api/v1/possible-duplicates"
ALIKE: Final = {
    "name": "Kumar Ravi",
    "passport_number": "N7654321",
    "driving_license_number": "TN09 20150054321",
    "mobile_number_1": "098450-12345",
}
OTHER: Final = {
    "name": "Gurpreet Singh",
    "father_name": "Balbir Singh",
    "email_address": "gs@example.com",
    "address_1": "3 Mall Road",
    "city": "Ludhiana",
    "mobile_number_1": "9000011111",
    "bank_account_number": "1",
    "passport_number": "Z1112223",
    "driving_license_number": "PB10 20120067890",
}


@pytest.fixture
def fleet(encrypted_fleet: FollowedFleet) -> FollowedFleet:
    encrypted_fleet.register("driver", "EMP-1")
    encrypted_fleet.register("driver", "EMP-2", **ALIKE)
    encrypted_fleet.register("driver", "EMP-3", **OTHER)
    return encrypted_fleet


async def pairs(client: httpx.AsyncClient, entity: str = "driver", **more: Any) -> list[tuple[str, str]]:
    answer = await client.get(PATH, params={"type": entity, **more})
    assert answer.status_code == 200, answer.text
    content = answer.json()["content"]
    assert answer.json()["page"]["totalElements"] >= len(content)
    return [(one["first"]["id"], one["second"]["id"]) for one in content]


async def suggested(client: httpx.AsyncClient, values: dict[str, Any], **row: Any) -> list[str]:
    body = {"type": "driver", "rows": [{"values": values, **row}]}
    answer = await client.post(PATH, json=body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return [one["id"] for one in answer.json()["rows"][0]]


@pytest.mark.usefixtures("fleet")
async def test_pair_is_explained_field_by_field(client: httpx.AsyncClient) -> None:
    (one,) = (await client.get(PATH, params={"type": "driver"})).json()["content"]
    assert one["first"] == {"id": "EMP-1", "name": "Ravi Kumar"}
    assert one["second"] == {"id": "EMP-2", "name": "Kumar Ravi"}
    assert (one["type"], one["exact"], one["dismissed"]) == ("driver", False, None)
    assert one["score"] > 0.9
    fields = {field.pop("name"): field for field in one["fields"]}
    assert fields["mobile_number_1"] == {
        "first": "+91 98450 12345",
        "second": "098450-12345",
        "likeness": 1.0,
    }
    assert fields["passport_number"]["likeness"] < 0.6


async def test_suggestions_leave_out_the_edited_record(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    typed = {"name": "Ravi Kumaar", "mobile_number_1": "9845012345"}
    assert await suggested(client, typed) == ["EMP-1", "EMP-2"]
    assert await suggested(client, typed, id="EMP-1") == ["EMP-2"]
    assert await suggested(client, {"name": "Ravi Kumar"}) == []
    assert await suggested(client, {"id": "emp 3"}) == ["EMP-3"]
    assert await suggested(client, {"passport_number": 7, "name": None, "x": {}}) == []


async def test_restricted_removed_and_erased_drivers_never_appear(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    assert await pairs(client) == [("EMP-1", "EMP-2")]
    fleet.restrict("driver", "EMP-2")
    assert await pairs(client) == []
    assert await suggested(client, ALIKE) == ["EMP-1"]
    fleet.lift("driver", "EMP-2")
    assert await pairs(client) == [("EMP-1", "EMP-2")]
    fleet.restrict("driver", "EMP-2")
    fleet.erase("driver", "EMP-2")
    assert await pairs(client) == []
    fleet.remove("driver", "EMP-1")
    assert await suggested(client, ALIKE) == []


async def test_pairs_follow_later_changes_as_a_new_comparison_finds_them(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    assert await pairs(client) == [("EMP-1", "EMP-2")]
    fleet.register("driver", "EMP-4", **OTHER | {"name": "Gurprit Singh"})
    assert {*await pairs(client)} == {("EMP-1", "EMP-2"), ("EMP-3", "EMP-4")}
    fleet.change("driver", "EMP-4", **ALIKE | {"name": "Ravi Kumar"})
    found = await pairs(client)
    assert ("EMP-1", "EMP-4") in found
    async with Pool(database.query, size=1) as pool:
        assert {*(await ScoredPairs().current(pool, DRIVERS)).scores} == {*found}
    fleet.change("driver", "EMP-4", **OTHER)
    fleet.remove("driver", "EMP-1")
    assert await pairs(client) == [("EMP-3", "EMP-4")]


async def test_drivers_need_the_permission_to_see_personal_data(
    fleet: FollowedFleet, masked_client: httpx.AsyncClient
) -> None:
    assert (await masked_client.get(PATH, params={"type": "driver"})).status_code == 403
    body = {"type": "driver", "rows": []}
    assert (await masked_client.post(PATH, json=body)).status_code == 403
    fleet.register("horse", "H1", chassis_number="MATO01", engine_number="E1")
    fleet.register("horse", "H2", chassis_number="MAT001", engine_number="E2")
    fleet.register("trailer", "T1", trailer_registration_number="KA01AB1234")
    fleet.register("trailer", "T2", trailer_registration_number="KA01AB1284")
    assert await pairs(masked_client, "horse") == [("H1", "H2")]
    assert await pairs(masked_client, "trailer") == [("T1", "T2")]


@pytest.mark.usefixtures("fleet")
async def test_bad_requests_are_refused_at_their_fields(client: httpx.AsyncClient) -> None:
    for body, field in (
        ({"type": "location", "rows": []}, "type"),
        ({"type": "driver"}, "rows"),
        ({"type": "driver", "rows": [{"values": {}}] * 101}, "rows"),
        ({"type": "driver", "rows": [{"values": {}, "x": 1}]}, "rows.0.x"),
        ({"type": "driver", "rows": [{"values": []}]}, "rows.0.values"),
    ):
        answer = await client.post(PATH, json=body)
        assert (answer.status_code, answer.json()["validation_errors"][0]["field"]) == (422, field)
    headers = {"Content-Type": "application/json"}
    for raw, status in ((b"[", 422), (b'{"type":"driver","rows":[{"values":{"name":"\\ud800"}}]}', 422)):
        assert (await client.post(PATH, content=raw, headers=headers)).status_code == status
    assert (await client.post(PATH, content=b"{}")).status_code == 415
    assert (await client.post(PATH, content=b" " * 300_000, headers=headers)).status_code == 413
    assert (await client.get(PATH, params={"type": "user"})).status_code == 422


async def test_dismissed_pair_is_listed_with_author_and_reason_until_it_is_listed_again(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    def dismiss(entity: str, one: str, other: str, *, dismissed: bool = True) -> None:
        fleet.append(fleet.aggregate(entity, one).dismiss(other, METADATA, dismissed=dismissed))

    dismiss("driver", "EMP-2", "EMP-1")
    assert await pairs(client) == []
    ((one,),) = [(await client.get(PATH, params={"type": "driver", "dismissed": "true"})).json()["content"]]
    assert one["dismissed"]["actor"] == {"sub": "dev|asha", "name": "Asha Menon"}
    assert one["dismissed"]["reason"] == METADATA.reason
    dismiss("driver", "EMP-1", "EMP-2", dismissed=False)
    assert await pairs(client) == [("EMP-1", "EMP-2")]
    history = (await client.get("/api/v1/drivers/EMP-1/history")).json()["content"][-1]
    assert (history["other"], history["dismissed"], history["changes"]) == ("EMP-2", False, [])
    dismiss("driver", "EMP-1", "EMP-2")
    fleet.remove("driver", "EMP-2")
    fleet.register("driver", "EMP-2", **ALIKE)  # may be another person
    assert await pairs(client) == [("EMP-1", "EMP-2")]

    for horse in ("H1", "H2"):
        fleet.register("horse", horse, chassis_number="M1", engine_number=horse)
    assert await pairs(client, "horse") == [("H1", "H2")]
    dismiss("horse", "H1", "H2")
    ((one,),) = [
        (await masked_client.get(PATH, params={"type": "horse", "dismissed": "true"})).json()["content"]
    ]
    assert (one["exact"], one["score"], one["dismissed"]["reason"]) == (True, 1.0, None)
    assert one["dismissed"]["actor"] == {"sub": "dev|asha", "name": None}


async def test_shown_drivers_are_recorded(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    await pairs(client, size=5)
    await suggested(client, ALIKE)
    await wait_until(lambda: viewed(database) == 2)
    listed, suggestions = recorded_views(fleet.connection)
    assert (listed["entity"], listed["filter"], listed["count"]) == (
        "driver",
        {"type": "driver", "size": 5},
        1,
    )
    assert (suggestions["route"], suggestions["filter"], suggestions["count"]) == (PATH, None, 2)
    assert {"name", "father_name", "passport_number"} < {*suggestions["fields"]}


async def test_nothing_is_answered_while_the_keys_are_incomplete(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    await fleet.catch_up()
    fleet.connection.execute("DELETE FROM read.searches")
    for answer in (
        await client.get(PATH, params={"type": "driver"}),
        await client.post(PATH, json={"type": "driver", "rows": []}),
    ):
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:fleetlog:problem:unavailable")
