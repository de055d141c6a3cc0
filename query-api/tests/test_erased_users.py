"""Names of restricted users are masked, and those of erased users are gone."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

import httpx
import pytest
from projections_testing.fleet import BEGIN, METADATA, SOMEBODY_ELSE
from query_api_testing.served import AUDIT, FollowedFleet, client_of, get_json, positions

from command_api.domain.events import EventActor
from ops.base.permissions import OF_STAFF, Permission
from ops.testing.token_issuer import TokenIssuer

SUB, NAME = METADATA.actor.sub, METADATA.actor.name
OMAR = METADATA.model_copy(update={"actor": EventActor(sub="dev|omar", name="Omar Haddad")})
DRIVER = "/api/v1/drivers/EMP-1"
ACTORS = "/api/v1/actors"
ONE = f"{ACTORS}/dev%7Casha/privacy"
LOOKING = {Permission.AUDIT_REVEAL, Permission.ACCESS_LOG_READ, Permission.AUDIT_READ}


class Served(NamedTuple):
    """A fleet, and clients of its query API: staff and a privacy officer."""

    fleet: FollowedFleet
    staff: httpx.AsyncClient
    officer: httpx.AsyncClient

    def restrict(self) -> None:
        asha = self.fleet.aggregate("actor", SUB)
        self.fleet.append(asha.restrict("asked", BEGIN.date(), SOMEBODY_ELSE))

    def erase(self) -> None:
        self.fleet.append(self.fleet.aggregate("actor", SUB).erase(BEGIN.date(), OMAR))


@pytest.fixture
async def served(encrypted_fleet: FollowedFleet, origin: str, issuer: TokenIssuer) -> AsyncIterator[Served]:
    encrypted_fleet.register("driver", "EMP-1")
    async with AsyncExitStack() as opened:
        clients = []
        for sub, more in (("dev|tove", LOOKING), ("dev|otto", LOOKING | {Permission.PRIVACY_RESTRICT})):
            claims = {"sub": sub, "name": f"{sub} x", "permissions": sorted(OF_STAFF | more)}
            client = client_of(origin, issuer, encrypted_fleet, **claims)
            clients.append(await opened.enter_async_context(client))
        yield Served(encrypted_fleet, *clients)


async def named(client: httpx.AsyncClient) -> list[Any]:
    """Return the name of the user who registered the driver, as each route shows it."""
    (changed,) = (await get_json(client, f"{DRIVER}/history"))["content"]
    blamed = (await get_json(client, f"{DRIVER}/blame"))["fields"][0]
    audited = (await get_json(client, AUDIT, id="EMP-1"))["content"][0]
    table = (await client.get(AUDIT, params={"format": "csv", "reveal": "true", "id": "EMP-1"})).text
    assert changed["changes"][0]["to"], "the record itself is not masked"
    return [
        *(one["actor"]["name"] for one in (changed, blamed, audited)),
        NAME in table,
        bool(await positions(client, q=NAME)),
        changed.get("masked"),
        changed.get("erased"),
    ]


async def test_name_of_a_restricted_user_is_masked(served: Served) -> None:
    for_all = [NAME, NAME, NAME, True, True, None, None]
    assert await named(served.staff) == await named(served.officer) == for_all
    served.restrict()
    assert await named(served.officer) == for_all
    assert await named(served.staff) == [None, None, None, False, False, ["actor.name"], None]
    for client in (served.staff, served.officer):
        trail = (await get_json(client, AUDIT, order="desc", limit=1))["content"][0]
        assert (trail["entity"], trail["id"], trail["type"]) == ("actor", SUB, "actor.restricted")
    feed = (await served.staff.get("/api/v1/events", params={"format": "ndjson", "after": 0})).text
    (event,) = [line for line in feed.splitlines() if line]
    assert json.loads(event)["type"].startswith("fleetlog.driver.registered")
    assert SUB not in feed


async def test_name_of_an_erased_user_is_shown_nowhere(served: Served) -> None:
    served.restrict()
    served.erase()
    for client in (served.staff, served.officer):
        assert await named(client) == [None, None, None, False, False, None, ["actor.name"]]


async def test_privacy_officer_sees_users_and_their_status(served: Served) -> None:
    (asha, ingrid) = (await get_json(served.officer, ACTORS))["content"]
    assert (asha["sub"], asha["name"], asha["state"]) == (SUB, NAME, "active")
    assert ingrid["name"] == SOMEBODY_ELSE.actor.name
    assert (await served.staff.get(ACTORS)).status_code == 403
    before = await get_json(served.officer, ONE)
    assert (before["state"], before["events"], before["in_the_clear"]) == ("active", 1, 0)
    assert before["fields"] == ["name"]
    served.restrict()
    held = await get_json(served.officer, f"{ONE}/held")
    assert [one["name"] for one in held["names"]] == [NAME]
    assert held["standing"]["asked_by"]["sub"] == SOMEBODY_ELSE.actor.sub
    page = (await served.officer.get(f"{ONE}/held", params={"format": "html"})).text
    assert NAME in page
    (request,) = (await get_json(served.officer, "/api/v1/privacy/requests"))["content"]
    assert (request["entity"], request["id"], request["state"]) == ("actor", SUB, "restricted")
    served.erase()
    assert (await get_json(served.officer, ONE))["state"] == "erasing"
    assert (await get_json(served.officer, f"{ONE}/held"))["names"] == []
    (asha,) = [one for one in (await get_json(served.officer, ACTORS))["content"] if one["sub"] == SUB]
    assert (asha["name"], asha["state"]) == (None, "erasing")
    assert (await served.officer.get(f"{ONE}/receipt")).status_code == 404
    assert (await served.officer.get(f"{ACTORS}/dev%7Cnobody/privacy")).status_code == 404
