"""The past of a record over HTTP: history, states, differences and authors."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from projections_testing.fleet import BEGIN
from query_api_testing.served import FollowedFleet, get_json

from ops.base.records.entities import entity_type

DRIVERS = "/api/v1/drivers"
EMP_1 = f"{DRIVERS}/EMP-1"


@pytest.fixture
def past(fleet: FollowedFleet) -> FollowedFleet:
    """A driver that was changed, removed, registered again and changed once more; and others."""
    fleet.register("driver", "EMP-1", city="Ludhiana")
    fleet.register("horse", "HRS-1")
    fleet.change("driver", "EMP-1", city="Pune", address_2="Near the tank")
    fleet.remove("driver", "EMP-1")
    fleet.register("driver", "EMP-1", city="Surat")
    fleet.register("driver", "EMP-2")
    fleet.change("driver", "EMP-1", bank_name="State Bank")
    return fleet


def record_of(response: httpx.Response) -> Any:
    return response.json()["driver_by_pk"]


async def test_history_has_all_registrations_of_an_id(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    history = await get_json(client, f"{EMP_1}/history")
    assert [(change["position"], change["version"], change["type"]) for change in history["content"]] == [
        (1, 1, "driver.registered"),
        (3, 2, "driver.details_changed"),
        (4, 3, "driver.removed"),
        (5, 4, "driver.registered"),
        (7, 5, "driver.details_changed"),
    ]
    assert history["next"] is None
    latest = await get_json(client, f"{EMP_1}/history", limit=2, order="desc")
    assert [change["version"] for change in latest["content"]] == [5, 4]
    following = await get_json(client, f"{EMP_1}/history", limit=2, order="desc", cursor=latest["next"])
    assert [change["version"] for change in following["content"]] == [3, 2]
    changed = history["content"][1]
    assert {change["field"]: (change["from"], change["to"]) for change in changed["changes"]} == {
        "city": ("Ludhiana", "Pune"),
        "address_2": (None, "Near the tank"),
    }
    assert set(changed["actor"]) == {"sub", "name"}
    assert changed["request_id"]
    assert changed["reason"] == "as told on the telephone"
    assert datetime.fromisoformat(changed["moment"]).tzinfo == UTC


async def test_removed_record_keeps_its_history(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    past.remove("driver", "EMP-2")
    assert len((await get_json(client, f"{DRIVERS}/EMP-2/history"))["content"]) == 2
    for entity_id in ("EMP-3", "HRS-1", "%00", "a b"):
        for name in ("history", "blame", "diff?from=0&to=1"):
            assert (await client.get(f"{DRIVERS}/{entity_id}/{name}")).status_code == 404


async def test_record_at_a_version(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    response = await client.get(EMP_1, params={"version": 2})
    assert record_of(response)["city"] == "Pune"
    assert response.headers["fleetlog-as-of"] == "position=3, version=2"
    etag = response.headers["etag"]
    assert etag.startswith('"2-')
    assert (
        await client.get(EMP_1, headers={"If-None-Match": etag}, params={"version": 2})
    ).status_code == 304
    assert set(record_of(response)) == set(record_of(await client.get(EMP_1)))
    assert "fleetlog-as-of" not in (await client.get(EMP_1)).headers
    for version in (3, 6, 2**53 - 1):  # removed, and not there yet
        assert (await client.get(EMP_1, params={"version": version})).status_code == 404


async def test_record_and_list_at_an_instant(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    moment = (await get_json(client, f"{EMP_1}/history"))["content"][1]["moment"]
    just_before = (datetime.fromisoformat(moment) - timedelta(microseconds=1)).isoformat()
    for instant, city in ((moment, "Pune"), (just_before, "Ludhiana")):
        single = record_of(await client.get(EMP_1, params={"as_of": instant}))
        (listed,) = (await get_json(client, DRIVERS, as_of=instant))["content"]
        assert single["city"] == listed["city"] == city
    long_ago = "1999-12-31T23:59:59Z"
    assert (await client.get(EMP_1, params={"as_of": long_ago})).status_code == 404
    assert await get_json(client, DRIVERS, as_of=long_ago) == {"content": []}


async def test_instant_is_accepted_in_every_time_zone(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    moment = (await get_json(client, f"{EMP_1}/history"))["content"][1]["moment"]
    there = datetime.fromisoformat(moment)
    for offset in (timedelta(hours=5, minutes=30), timedelta(hours=-11), timedelta()):
        local = (there + offset).replace(tzinfo=None).isoformat(timespec="microseconds")
        minutes = int(offset.total_seconds() // 60)
        zone = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
        escaped = await client.get(EMP_1, params={"as_of": local + zone})
        assert record_of(escaped)["city"] == "Pune"
        plain = await client.get(f"{EMP_1}?as_of={local}{zone}")  # an unescaped plus sign
        assert plain.json() == escaped.json()


async def test_diff_names_fields_with_both_values(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    diff = await get_json(client, f"{EMP_1}/diff", **{"from": 2, "to": 5})
    assert [(end["version"], end["exists"]) for end in (diff["from"], diff["to"])] == [(2, True), (5, True)]
    changes = {change["field"]: (change["from"], change["to"]) for change in diff["changes"]}
    assert changes["city"] == ("Pune", "Surat")
    assert changes["address_2"] == ("Near the tank", None)
    assert changes["bank_name"][1] == "State Bank"
    removed = await get_json(client, f"{EMP_1}/diff", **{"from": 3, "to": 0})
    assert (removed["from"]["exists"], removed["to"]["exists"], removed["changes"]) == (False, False, [])
    assert removed["to"]["moment"] is None
    assert (await client.get(f"{EMP_1}/diff?from=1&to=6")).status_code == 404


async def test_blame_names_the_last_author_of_each_field(
    client: httpx.AsyncClient,
    past: FollowedFleet,
) -> None:
    now = await get_json(client, f"{EMP_1}/blame")
    assert now["version"] == 5
    record = record_of(await client.get(EMP_1))
    assert {field["field"]: field["value"] for field in now["fields"]} == {
        name: value for name, value in record.items() if name != "id"
    }
    then = await get_json(client, f"{EMP_1}/blame", version=2)
    versions = {field["field"]: field["version"] for field in then["fields"]}
    assert (versions["city"], versions["address_2"], versions["name"]) == (2, 2, 1)
    assert then["fields"][0]["actor"]["name"]
    assert (await client.get(f"{EMP_1}/blame?version=3")).status_code == 404


async def test_past_lists_have_the_current_shape(client: httpx.AsyncClient, fleet: FollowedFleet) -> None:
    for entity in map(entity_type, ("trailer", "horse", "location")):
        fleet.register(entity.name, "B-1")
        fleet.register(entity.name, "A-1")
        now = await client.get(entity.path)
        moment = (await get_json(client, f"{entity.path}/A-1/history"))["content"][0]["moment"]
        then = await client.get(entity.path, params={"as_of": moment})
        assert then.json() == now.json()
        assert then.headers["fleetlog-as-of"] == f"position={fleet.position}"
        single = await client.get(f"{entity.path}/A-1", params={"version": 1})
        assert single.json() == (await client.get(f"{entity.path}/A-1")).json()


async def test_unreadable_event_is_in_the_history_with_unknown_state(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.insert("driver:EMP-1", 2, "driver.mystery", BEGIN + timedelta(seconds=2))
    last = (await get_json(client, f"{EMP_1}/history"))["content"][-1]
    assert (last["type"], last["actor"], last["changes"]) == ("driver.mystery", None, [])
    unknown = await client.get(EMP_1, params={"version": 2})
    assert (unknown.status_code, unknown.headers["fleetlog-consistency"]) == (404, "stale")
    assert record_of(await client.get(EMP_1, params={"version": 1}))["id"] == "EMP-1"
