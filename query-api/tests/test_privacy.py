"""What is restricted is masked, what is erased is gone, and whoever sees to that is told how it stands."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from projections_testing.fleet import METADATA, SOMEBODY_ELSE, Fleet
from projections_testing.following import catch_up
from projections_testing.planted import PLANTED
from projections_testing.sealing_fleet import local_keys, sealing_fleet
from psycopg import AsyncConnection

from ops.base.database import connect
from ops.base.permissions import OF_STAFF, Permission
from ops.base.sealing.stores import KeyStore
from ops.base.settings import ServiceSettings
from ops.testing.postgres import Database
from ops.testing.serving import serving
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app

pytestmark = pytest.mark.integration

DRIVERS = "/api/v1/drivers"
DRIVER = f"{DRIVERS}/EMP-1"
REQUESTS = "/api/v1/privacy/requests"


@dataclass(frozen=True)
class Served:
    """A fleet, and clients of its query API: staff, and who restricts."""

    fleet: Fleet
    connection: AsyncConnection
    staff: httpx.AsyncClient
    officer: httpx.AsyncClient

    async def follow(self) -> None:
        """Let the read tables have all that has happened."""
        await catch_up(self.connection)


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[KeyStore]:
    monkeypatch.setenv("FLEETLOG_KEYS", str(tmp_path))
    async with local_keys(tmp_path) as store:
        yield store


@pytest.fixture(params=["sealed", "clear"])
async def served(
    request: pytest.FixtureRequest,
    database: Database,
    store: KeyStore,
    settings_with: Callable[..., ServiceSettings],
    issuer: TokenIssuer,
) -> AsyncIterator[Served]:
    """Two drivers of the same planted values, sealed or as before anything was."""
    async with AsyncExitStack() as opened:
        owner = opened.enter_context(psycopg.connect(database.owner, autocommit=True))
        fleet = await sealing_fleet(owner, store) if request.param == "sealed" else Fleet(owner)
        for entity_id in ("EMP-1", "EMP-2"):
            fleet.register("driver", entity_id)
            fleet.change("driver", entity_id, **PLANTED["driver"])
        connection = await opened.enter_async_context(await connect(database.projections, autocommit=True))
        origin = await opened.enter_async_context(serving(build_app(settings_with(database=database.query))))
        clients = [
            await opened.enter_async_context(
                httpx.AsyncClient(
                    base_url=origin,
                    headers={"Authorization": f"Bearer {issuer.token(permissions=sorted(permissions))}"},
                    trust_env=False,
                    timeout=60,
                )
            )
            for permissions in (OF_STAFF, OF_STAFF | {Permission.PRIVACY_RESTRICT})
        ]
        served = Served(fleet, connection, *clients)
        await served.follow()
        yield served


async def told(client: httpx.AsyncClient, path: str, **parameters: Any) -> Any:
    answer = await client.get(path, params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def standing(served: Served) -> dict[str, Any]:
    answer = await served.officer.get(f"{DRIVER}/privacy")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "private, no-store")
    body: dict[str, Any] = answer.json()
    return body


async def test_how_it_stands_from_restricting_to_the_receipt_and_a_new_life(served: Served) -> None:
    fleet = served.fleet
    sealed = bool(fleet.key_ids)
    before = await standing(served)
    assert (before["state"], before["events"], before["basis"]) == ("active", 2, None)
    assert before["in_the_clear"] == (0 if sealed else 2)
    assert set(before["fields"]) >= {"name", "city"}
    assert (await told(served.officer, REQUESTS))["content"] == []

    fleet.restrict("driver", "EMP-1")
    fleet.set_hold("driver", "EMP-1", None)
    fleet.restrict("driver", "EMP-2", "contested")
    await served.follow()
    asked = await standing(served)
    assert (asked["state"], asked["basis"], asked["due"]) == ("restricted", "asked", "2026-12-21")
    assert asked["asked_by"] == {"sub": METADATA.actor.sub, "name": METADATA.actor.name}
    assert asked["fields"] == before["fields"]
    requests = (await told(served.officer, REQUESTS))["content"]
    assert [(one["id"], one["state"], one["version"]) for one in requests] == [
        ("EMP-2", "restricted", None),
        ("EMP-1", "restricted", None),
    ]

    fleet.lift("driver", "EMP-2")
    fleet.erase("driver", "EMP-1")
    await served.follow()
    erasing = await standing(served)
    assert (erasing["state"], erasing["receipt"], erasing["fields"]) == ("erasing", False, [])
    assert erasing["asked_by"] == {"sub": METADATA.actor.sub, "name": None}
    assert erasing["erased_by"] == {"sub": SOMEBODY_ELSE.actor.sub, "name": None}
    assert erasing["erased_at"]
    assert (await served.officer.get(f"{DRIVER}/privacy/receipt")).status_code == 404

    fleet.connection.execute(
        "INSERT INTO privacy.erasures (entity, entity_id, version, position, receipt, issued_at)"
        " VALUES ('driver', 'EMP-1', 4, 1, '{\"signed\":true}', now())"
    )
    assert (await standing(served))["state"] == "erased"
    (request,) = (await told(served.officer, REQUESTS))["content"]
    assert (request["id"], request["state"], request["version"], request["receipt"]) == (
        *("EMP-1", "erased", 4),
        True,
    )
    receipt = await served.officer.get(f"{DRIVER}/privacy/receipt")
    assert receipt.json() == {"signed": True}
    assert receipt.headers["content-disposition"].startswith("attachment; ")

    fleet.register("driver", "EMP-1")
    await served.follow()
    anew = await standing(served)
    assert (anew["state"], anew["events"], anew["receipt"]) == ("active", 1, False)
    assert "name" in anew["fields"]
    assert (await served.officer.get(f"{DRIVER}/privacy/receipt?version=4")).json() == {"signed": True}


async def test_whoever_does_not_see_to_it_is_told_nothing(served: Served) -> None:
    for path in (f"{DRIVER}/privacy", f"{DRIVER}/privacy/receipt", REQUESTS):
        answer = await served.staff.get(path)
        assert answer.status_code == 403
        assert "privacy:restrict or privacy:erase" in answer.json()["detail"]
    assert (await served.officer.get(f"{DRIVERS}/EMP-9/privacy")).status_code == 404
