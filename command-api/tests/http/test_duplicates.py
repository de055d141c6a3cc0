"""Answers to commands that would give two records the same unique value."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from command_api_testing.fleet import new_body
from command_api_testing.log_in_memory import LogInMemory

from ops.base.permissions import OF_STAFF, Permission
from ops.testing.conditions import wait_until

PERMISSIONS = {
    "staff": OF_STAFF,
    "writer": OF_STAFF - {Permission.FLEET_READ},
    "officer": OF_STAFF | {Permission.PRIVACY_RESTRICT},
}
TAKEN = {
    "field": "passport_number",
    "message": "Another driver has this passport number",
    "pointer": "#/passport_number",
}
Users = dict[str, httpx.AsyncClient]


@pytest.fixture
def log() -> LogInMemory:
    return LogInMemory()


@pytest.fixture
async def users(
    request: pytest.FixtureRequest, log: LogInMemory, users_of: Callable[..., Awaitable[Users]]
) -> Users:
    """Users with some permissions; EMP-1 has the passport M1. The parameter: fields that may be shared."""
    users = await users_of(log, PERMISSIONS, duplicates_allowed=getattr(request, "param", ""))
    assert (await users["staff"].post("/api/v1/drivers", json=driver("EMP-1"))).status_code == 201
    return users


def driver(entity_id: str, passport: str = "M1") -> dict[str, Any]:
    return new_body("driver", id=entity_id, passport_number=passport, driving_license_number=entity_id)


async def refused(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.post("/api/v1/drivers", json=driver("EMP-2", "m-1"))
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:fleetlog:problem:duplicate")
    assert answer.json()["validation_errors"] == [TAKEN]
    problem: dict[str, Any] = answer.json()
    return problem


async def test_answer_names_the_field_and_the_other_record_and_the_access_is_recorded(
    users: Users, log: LogInMemory
) -> None:
    before = len(log.views)
    assert (await refused(users["staff"]))["record"] == "EMP-1"
    await wait_until(lambda: len(log.views) > before)
    assert (log.views[-1]["id"], log.views[-1]["fields"]) == ("EMP-1", ["passport_number"])


async def test_other_record_is_not_named_to_who_may_not_read_it(users: Users) -> None:
    assert (await refused(users["writer"]))["record"] is None
    restriction = await users["officer"].post("/api/v1/drivers/EMP-1/restriction", json={"basis": "asked"})
    assert restriction.status_code == 200
    assert (await refused(users["staff"]))["record"] is None
    assert (await refused(users["officer"]))["record"] == "EMP-1"


@pytest.mark.parametrize("dry_run", [True, False])
async def test_rows_of_imports_are_refused_with_the_field(users: Users, dry_run: bool) -> None:  # noqa: FBT001
    row = await imported(users["staff"], dry_run=dry_run)
    assert (row["outcome"], row["validation_errors"]) == ("refused", [TAKEN])
    assert (await users["staff"].delete("/api/v1/drivers/EMP-2")).status_code == 404


async def test_a_dry_run_marks_equal_values_of_its_rows(users: Users) -> None:
    rows = []
    for key, passport in (("2", "M2"), ("3", "m-2"), ("4", "M4")):
        values = {**driver(f"EMP-{key}", passport), "driving_license_number": key}
        rows.append({"key": key, "id": values.pop("id"), "values": values})

    async def marks(batch: str, *, dry_run: bool = True) -> list[dict[str, str]]:
        body = {"batch": batch, "dry_run": dry_run, "rows": rows}
        answer = await users["staff"].post("/api/v1/batches/drivers", json=body)
        return [row["claimed"] for row in answer.json()["rows"]]

    batch = str(uuid4())
    first, same, other = await marks(batch)
    assert first.keys() == {"id", "passport_number", "driving_license_number"}
    assert first["passport_number"] == same["passport_number"] != other["passport_number"]
    assert (await marks(batch))[0] == first
    assert not set((await marks(str(uuid4())))[0].values()) & set(first.values())
    assert await marks(batch, dry_run=False) == [{}] * 3


async def imported(client: httpx.AsyncClient, *, dry_run: bool) -> dict[str, Any]:
    values = {name: value for name, value in driver("EMP-2").items() if name != "id"}
    batch = {
        "batch": str(uuid4()),
        "dry_run": dry_run,
        "rows": [{"key": "2", "do": "save", "id": "EMP-2", "values": values}],
    }
    answer = await client.post("/api/v1/batches/drivers", json=batch)
    rows: list[dict[str, Any]] = answer.json()["rows"]
    return rows[0]


allowing = pytest.mark.parametrize("users", ["driver.passport_number"], indirect=True)
SHARED = 'passport_number;record="EMP-1"'


@allowing
async def test_accepted_duplicates_are_named_in_the_answer_of_each_command(
    users: Users, log: LogInMemory
) -> None:
    path = "/api/v1/drivers/EMP-2"
    registration: Any = {"json": driver("EMP-2", "m-1"), "headers": {"Idempotency-Key": "K1"}}

    async def named(method: str, at: str = "", **options: Any) -> str | None:
        answer = await users["staff"].request(method, path + at, **options)
        assert answer.is_success
        value: str | None = answer.headers.get("Fleetlog-Duplicates")
        return value

    for _ in range(2):
        answer = await users["staff"].post("/api/v1/drivers", **registration)
        assert (answer.status_code, answer.headers["Fleetlog-Duplicates"]) == (201, SHARED)
    await wait_until(lambda: any(view["id"] == "EMP-1" for view in log.views))
    assert await named("PUT", json=driver("EMP-2", "M2")) is None
    assert await named("POST", "/undo", json={"version": 2}) == SHARED
    assert await named("PUT", json=driver("EMP-2", "M1") | {"city": "Agra"}) == SHARED
    assert await named("PUT", json=driver("EMP-2", "M1") | {"city": "Pune"}) is None
    assert await named("DELETE") is None
    assert await named("POST", "/restore", json={"version": 1}) == SHARED
    other = await users["staff"].post("/api/v1/drivers", json=driver("EMP-3", "M3") | LICENCE)
    assert other.json()["validation_errors"][0]["field"] == "driving_license_number"


LICENCE = {"driving_license_number": "EMP-1"}


@allowing
async def test_accepted_duplicates_are_masked_as_in_a_refusal(users: Users) -> None:
    answer = await users["writer"].post("/api/v1/drivers", json=driver("EMP-2"))
    assert answer.headers["Fleetlog-Duplicates"] == "passport_number"


@allowing
@pytest.mark.parametrize("dry_run", [True, False])
async def test_rows_of_imports_name_accepted_duplicates(users: Users, dry_run: bool) -> None:  # noqa: FBT001
    row = await imported(users["staff"], dry_run=dry_run)
    expected = {"field": "passport_number", "message": TAKEN["message"], "record": "EMP-1"}
    assert (row["outcome"], row["duplicates"]) == ("new", [expected])
