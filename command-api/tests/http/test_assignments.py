"""Rules of assignments over HTTP: which records may be assigned, and what must be confirmed."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from command_api_testing.fleet import new_body, new_references
from command_api_testing.log_in_memory import LogInMemory

from ops.base.permissions import Permission
from ops.testing.conditions import wait_until

PATH = "/api/v1/assignments"
BATCH = "7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11"
DAY = {"starts_at": "2026-12-01T06:00:00+05:30", "ends_at": "2026-12-01T18:00:00+05:30"}


@pytest.fixture
async def fleet(client: httpx.AsyncClient) -> dict[str, Any]:
    return await new_references(client)


def problem(answer: httpx.Response) -> tuple[int, str, Any]:
    body = answer.json()
    return answer.status_code, body["type"].rpartition(":")[2], body.get("code") or body.get("record")


async def assign(client: httpx.AsyncClient, fleet: dict[str, Any], **more: Any) -> httpx.Response:
    return await client.post(PATH, json={**fleet, **DAY, **more})


async def driver_until(client: httpx.AsyncClient, last_day: str) -> str:
    body = new_body("driver", driving_license_expiry=last_day)
    assert (await client.post("/api/v1/drivers", json=body)).status_code == 201
    return str(body["id"])


async def test_times_are_stored_in_utc(client: httpx.AsyncClient, fleet: dict[str, Any]) -> None:
    record = (await assign(client, fleet)).json()
    assert (record["starts_at"], record["ends_at"]) == (
        "2026-12-01T00:30:00.000Z",
        "2026-12-01T12:30:00.000Z",
    )


@pytest.mark.parametrize(
    ("details", "field"),
    [
        ({"ends_at": DAY["starts_at"]}, "ends_at"),
        ({"starts_at": "2026-12-01"}, "starts_at"),
        ({"starts_at": "2026-12-01T06:00:00"}, "starts_at"),
        ({"starts_at": "2026-02-30T06:00:00Z"}, "starts_at"),
        ({"horse": "a horse"}, "horse"),
        ({"trailers": ["TRL-1", "TRL-1"]}, "trailers"),
    ],
)
async def test_invalid_details_are_refused(
    client: httpx.AsyncClient, fleet: dict[str, Any], details: dict[str, Any], field: str
) -> None:
    refused = await assign(client, fleet, **details)
    assert [error["field"] for error in refused.json()["validation_errors"]] == [field]


async def test_refusals_name_the_other_assignment(client: httpx.AsyncClient, fleet: dict[str, Any]) -> None:
    first = (await assign(client, fleet)).json()
    for field in ("driver", "horse", "trailers"):
        others = await new_references(client)
        refused = await assign(client, {**others, field: fleet[field]})
        assert problem(refused) == (409, "duplicate", first["id"])
        assert refused.json()["validation_errors"][0]["field"] == field
    following = {"starts_at": DAY["ends_at"], "ends_at": None}
    assert (await assign(client, fleet, **following)).status_code == 201
    changed = await client.put(f"{PATH}/{first['id']}", json={**fleet, **DAY, "ends_at": None})
    assert problem(changed)[:2] == (409, "duplicate")


@pytest.mark.parametrize("field", ["horse", "driver", "trailers", "location"])
async def test_removed_and_unknown_records_are_refused(
    client: httpx.AsyncClient, fleet: dict[str, Any], field: str
) -> None:
    value = fleet[field]
    unknown = ["TRL-0"] if field == "trailers" else "UNKNOWN"
    assert problem(await assign(client, {**fleet, field: unknown})) == (409, "reference", "not_registered")
    existing = (await assign(client, fleet)).json()
    entity = {
        "horse": "v1/horses",
        "driver": "v1/drivers",
        "trailers": "v1/trailers",
        "location": "locations",
    }
    record = value[0] if field == "trailers" else value
    assert (await client.delete(f"/api/{entity[field]}/{record}")).status_code == 204
    later = {"starts_at": DAY["ends_at"], "ends_at": None}
    refused = await assign(client, fleet, **later)
    assert problem(refused) == (409, "reference", "not_registered")
    assert refused.json()["record"] == record
    # Its existing assignment can be shortened, but not extended.
    address = f"{PATH}/{existing['id']}"
    longer = await client.put(address, json={**fleet, **DAY, "ends_at": "2026-12-02T00:00:00Z"})
    assert problem(longer) == (409, "reference", "not_registered")
    shorter = await client.put(address, json={**fleet, **DAY, "ends_at": "2026-12-01T10:00:00Z"})
    assert shorter.status_code == 200
    undone = await client.post(f"{address}/undo", json={"version": 2})
    assert problem(undone) == (409, "reference", "not_registered")


LICENCES = [
    ("2026-11-30", DAY["ends_at"], "licence_expired"),
    ("2026-12-01", DAY["ends_at"], None),
    ("2026-12-01", "2026-12-02T00:00:00Z", None),
    ("2026-12-01", "2026-12-02T00:00:01Z", "licence_ends"),
    ("2026-12-30", None, "licence_ends"),
    ("2026-12-31", None, None),
]


@pytest.mark.parametrize("licence", LICENCES)
async def test_licence_must_last(
    client: httpx.AsyncClient,
    log: LogInMemory,
    fleet: dict[str, Any],
    licence: tuple[str, str | None, str | None],
) -> None:
    last_day, ends_at, expected = licence
    fleet["driver"] = await driver_until(client, last_day)
    answer = await assign(client, fleet, ends_at=ends_at)
    if expected is None:
        assert answer.status_code == 201
        return
    assert answer.json()["code"] == expected
    # The refusal reveals something about the day.
    shown = (fleet["driver"], ["driving_license_expiry"])
    await wait_until(lambda: shown in [(view["id"], view["fields"]) for view in log.views])
    confirmed = await assign(client, fleet, ends_at=ends_at, confirmed=["licence_ends"])
    assert confirmed.status_code == (201 if expected == "licence_ends" else 409)


async def test_refusal_is_repeated_for_a_retry(client: httpx.AsyncClient, fleet: dict[str, Any]) -> None:
    fleet["driver"] = await driver_until(client, "2026-12-10")
    body, once = {**fleet, **DAY, "ends_at": None}, {"Idempotency-Key": "assign-once"}
    answers = [await client.post(PATH, json=body, headers=once) for _ in range(2)]
    first, second = ({**one.json(), "request_id": None} for one in answers)
    assert first == second
    assert problem(answers[0]) == (409, "unconfirmed", "licence_ends")


@pytest.mark.parametrize("setting", ["refuse", "warn"])
@pytest.mark.parametrize("status", ["Out of Service", "Maintenance"])
async def test_unavailable_vehicle_is_refused_or_must_be_confirmed(
    users_of: Callable[..., Awaitable[dict[str, httpx.AsyncClient]]], setting: str, status: str
) -> None:
    client = (await users_of(LogInMemory(), {"asha": Permission}, unavailable_vehicles=setting))["asha"]
    fleet = await new_references(client)
    trailer = (await client.post("/api/v1/trailers", json=new_body("trailer", status=status))).json()
    fleet["trailers"] = [trailer["trailer_by_pk"]["id"]]
    ended = {"starts_at": "2025-12-01T06:00:00Z", "ends_at": "2025-12-01T07:00:00Z"}
    assert (await assign(client, fleet, **ended)).status_code == 201  # its status was another one then
    kind = "unconfirmed" if setting == "warn" else "reference"
    later = {"starts_at": "2999-12-01T06:00:00Z", "ends_at": "2999-12-01T07:00:00Z", "driver": None}
    assert problem(await assign(client, fleet, **later)) == (409, kind, "unavailable")
    confirmed = await assign(client, fleet, **later, confirmed=["unavailable"])
    assert confirmed.status_code == (201 if setting == "warn" else 409)


async def test_imported_rows_obey_the_rules(client: httpx.AsyncClient, fleet: dict[str, Any]) -> None:
    values = {**fleet, **DAY}
    other = {**await new_references(client), **DAY}
    rows = [
        {"key": "1", "values": values},
        {"key": "2", "values": {**other, "driver": "UNKNOWN"}},
        {"key": "3", "values": {**other, "horse": fleet["horse"]}},
    ]
    body = {"batch": BATCH, "dry_run": False, "rows": rows}
    first = (await client.post("/api/v1/batches/assignments", json={**body, "rows": rows[:2]})).json()["rows"]
    assert [row["outcome"] for row in first] == ["new", "refused"]
    for dry_run in (True, False):
        more = {"batch": BATCH, "dry_run": dry_run, "rows": rows[2:]}
        (row,) = (await client.post("/api/v1/batches/assignments", json=more)).json()["rows"]
        assert row["outcome"] == "refused"
        assert row["detail"] == "Another assignment has this horse in this time."


async def test_many_assignments_are_ended_by_one_request(
    client: httpx.AsyncClient, fleet: dict[str, Any]
) -> None:
    fleets = [fleet, await new_references(client)]
    made = [(await assign(client, one, ends_at=None)).json() for one in fleets]
    end = "2026-12-01T10:00:00.000Z"
    rows = [{"key": one["id"], "do": "change", "id": one["id"], "values": {"ends_at": end}} for one in made]
    body = {"batch": BATCH, "dry_run": False, "rows": rows}
    ended = (await client.post("/api/v1/batches/assignments", json=body)).json()["rows"]
    assert [(row["outcome"], row["fields"]) for row in ended] == [("changed", ["ends_at"])] * 2
    following = [await assign(client, one, starts_at=end, ends_at=None) for one in fleets]
    assert [answer.status_code for answer in following] == [201, 201]


async def test_undo_is_refused_while_another_assignment_has_the_time(
    client: httpx.AsyncClient, fleet: dict[str, Any]
) -> None:
    first = (await assign(client, fleet)).json()
    address, noon = f"{PATH}/{first['id']}", "2026-12-01T12:00:00+05:30"
    ended = {**fleet, **DAY, "ends_at": noon}
    assert (await client.put(address, json=ended, headers={"If-Match": '"1"'})).status_code == 200
    following = (await assign(client, fleet, starts_at=noon)).json()
    assert problem(await client.post(f"{address}/undo", json={"version": 2})) == (
        409,
        "duplicate",
        following["id"],
    )
    assert (await client.delete(f"{PATH}/{following['id']}")).status_code == 204
    undone = await client.post(f"{address}/undo", json={"version": 2})
    assert (undone.status_code, undone.json()["ends_at"]) == (200, first["ends_at"])
    stale = await client.put(address, json=ended, headers={"If-Match": '"2"'})
    assert (stale.status_code, stale.json()["current_version"]) == (412, 3)


async def test_dry_runs_are_recorded_as_views_of_the_licence(
    client: httpx.AsyncClient, log: LogInMemory, fleet: dict[str, Any]
) -> None:
    rows = [{"key": "1", "values": {**fleet, **DAY}}]
    body = {"batch": BATCH, "dry_run": True, "rows": rows}
    answer = await client.post("/api/v1/batches/assignments", json=body)
    assert [row["outcome"] for row in answer.json()["rows"]] == ["new"]
    shown = (fleet["driver"], ["driving_license_expiry"])
    await wait_until(lambda: shown in [(view["id"], view["fields"]) for view in log.views])
