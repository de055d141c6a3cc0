"""Answers to commands that would give two records the same unique value."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import httpx
import pytest
from command_api_testing.fleet import client_of, new_body
from command_api_testing.log_in_memory import LogInMemory

from command_api.app import build_app
from ops.base.permissions import OF_STAFF, Permission
from ops.base.settings import ServiceSettings
from ops.testing.conditions import wait_until
from ops.testing.http_servers import serve
from ops.testing.token_issuer import TokenIssuer

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
    log: LogInMemory, settings_with: Callable[..., ServiceSettings], issuer: TokenIssuer
) -> AsyncIterator[Users]:
    """Users with some permissions; EMP-1 has the passport M1."""
    async with AsyncExitStack() as stack:
        app = build_app(settings_with(duplicates_allowed=""), log)
        origin = await stack.enter_async_context(serve(app))
        users = {
            name: await stack.enter_async_context(
                client_of(origin, issuer, sub=f"dev|{name}", permissions=list(permissions))
            )
            for name, permissions in PERMISSIONS.items()
        }
        assert (await users["staff"].post("/api/v1/drivers", json=driver("EMP-1"))).status_code == 201
        yield users


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
    values = {name: value for name, value in driver("EMP-2").items() if name != "id"}
    batch = {
        "batch": str(uuid4()),
        "dry_run": dry_run,
        "rows": [{"key": "2", "do": "save", "id": "EMP-2", "values": values}],
    }
    (row,) = (await users["staff"].post("/api/v1/batches/drivers", json=batch)).json()["rows"]
    assert (row["outcome"], row["validation_errors"]) == ("refused", [TAKEN])
    assert (await users["staff"].delete("/api/v1/drivers/EMP-2")).status_code == 404
