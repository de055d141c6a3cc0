"""Answers that show personal data are recorded or refused, and no others."""

from collections.abc import Callable
from typing import Final

import pytest
from fastapi import FastAPI
from projections_testing.fleet import DETAILS
from query_api_testing.served import FollowedFleet, client_of, recorded_views

from ops.base.access_log.recorder import MOST_ENTRIES, Recorder
from ops.base.encryption.searches import decrypt_search, load_search_keys
from ops.base.records.entities import ENTITY_TYPES, EntityType
from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app

RECORD: Final = "{entity_id}"
OF_ENTITIES: Final[dict[str, tuple[str, str]]] = {
    "": ("", "list"),
    f"/{RECORD}": ("", "record"),
    f"/{RECORD}/history": ("", "history"),
    f"/{RECORD}/diff": ("?from=0&to=1", "diff"),
    f"/{RECORD}/blame": ("", "blame"),
    f"/{RECORD}/seen-by": ("", "seen-by"),
}
"""Query string and recorded kind, by the path after the entity type's."""
RECORDS: Final = [f"{entity.path}/{RECORD}" for entity in ENTITY_TYPES]
OF_ALL: Final = {"/api/v1/audit": "audit", "/api/v1/access-log": "access-log"}
OF_PRIVACY: Final = {"": "privacy", "/held": "export", "/receipt": None}
"""Recorded kind, by the path after `/privacy` of a record or user; receipts have no personal data."""
COUNTED: Final = {
    *(
        f"/api/v1/lists/{entity.collection}/{name}"
        for entity in ENTITY_TYPES
        for name in (*["choices"] * ("value" in entity.filtered.values()), "export")
    ),
    *(
        "/api/v1/audit/days",
        "/api/v1/audit/file",
        "/api/v1/due-dates",
        "/api/v1/drivers/{entity_id}/acknowledgements",
    ),
    "/api/v1/possible-duplicates",
}
"""Routes that `test_counting`, `test_audit_file`, `test_due` and `test_possible_duplicates` test."""
HARMLESS: Final = {
    *(
        "/api/v1/me",
        "/api/v1/me/digest",
        "/api/v1/views",
        "/api/v1/events",
        "/api/v1/system",
        "/api/v1/system/state",
    ),
    *("/api/v1/schemas", "/api/v1/schemas/{type_name}.json", "/api/v1/asyncapi.json"),
    "/api/v1/drivers/{entity_id}/reminder-link",
    *("/api/v1/audit/checkpoints", "/api/v1/audit/checkpoints/latest", "/api/v1/audit/consistency"),
    *("/api/v1/subscriptions/{entity_id}/deliveries", "/api/v1/subscriptions/{entity_id}/secret"),
}
"""Routes without the personal data of others."""
ALWAYS: Final = {"seen-by", "access-log"}
"""Kinds about viewers, which are personal data even without names."""


def id_of(entity: EntityType) -> str:
    return f"{entity.name}-1"


def address_of(entity: EntityType, ending: str) -> str:
    return entity.path + ending.replace(RECORD, id_of(entity)) + OF_ENTITIES[ending][0]


def addresses() -> dict[str, tuple[str, str]]:
    """Return the address and the recorded kind of all routes that show personal data."""
    found = {path: (path, kind) for path, kind in OF_ALL.items()}
    for entity in ENTITY_TYPES:
        for ending, (_, kind) in OF_ENTITIES.items():
            found[entity.path + ending] = (address_of(entity, ending), kind)
    return found


def is_shown(entity: EntityType | None, kind: str) -> bool:
    """Return whether an answer of a kind shows personal data; changes name their authors."""
    return entity is None or bool(entity.personal) or kind in {"history", "blame", *ALWAYS}


@pytest.fixture
def fleet(fleet: FollowedFleet) -> FollowedFleet:
    for entity in ENTITY_TYPES:
        if entity.name in DETAILS:
            fleet.register(entity.name, id_of(entity))
    return fleet


@pytest.fixture
def app(database: Database, settings_with: Callable[..., ServiceSettings]) -> FastAPI:
    """A query API; when stopped, it has recorded everything."""
    return build_app(settings_with(database=database.query))


def test_every_route_is_tested(app: FastAPI) -> None:
    privacy = {
        *("/api/v1/privacy/requests", "/api/v1/actors"),
        *(f"{path}/privacy{ending}" for path in ("/api/v1/actors/{sub}", *RECORDS) for ending in OF_PRIVACY),
    }
    assert app.openapi()["paths"].keys() == {*addresses(), *privacy, *COUNTED, *HARMLESS}


async def test_privacy_answers_with_personal_data_are_recorded(
    fleet: FollowedFleet, app: FastAPI, issuer: TokenIssuer
) -> None:
    driver = "/api/v1/drivers/driver-1/privacy"
    async with serve(app) as origin, client_of(origin, issuer, fleet) as client:
        for address in (driver, "/api/v1/privacy/requests"):  # without a request, no user is named
            assert (await client.get(address)).status_code == 200
        fleet.restrict("driver", "driver-1")
        shown = [f"{driver}{ending}" for ending, kind in OF_PRIVACY.items() if kind]
        for address in (*shown, "/api/v1/privacy/requests", "/api/v1/actors"):
            assert (await client.get(address)).status_code == 200
            assert (await client.head(address)).status_code == 200
        fleet.erase("driver", "driver-1")
        assert (await client.get(f"{driver}/receipt")).status_code == 404
    recorded = recorded_views(fleet.connection)
    assert [(one["kind"], one["id"], bool(one["fields"])) for one in recorded] == [
        *((kind, "driver-1", True) for kind in OF_PRIVACY.values() if kind),
        *(("privacy", None, True), ("list", None, True)),
    ]


async def test_filters_are_recorded_and_search_terms_are_encrypted(
    fleet: FollowedFleet, app: FastAPI, issuer: TokenIssuer
) -> None:
    async with serve(app) as origin, client_of(origin, issuer, fleet) as client:
        await client.get("/api/v1/horses?owner=sagar&owner=Meena&hired=yes&q=HRS")
        await client.get("/api/v1/drivers?driving_license_expiry=..2026-11-30")
        assert (await client.get("/api/v1/drivers?whole_up_to=0")).json()["page"]["totalElements"]
        await client.get("/api/v1/drivers?driving_license_expiry=..2026-11-30&page=9")
    of_horses, of_drivers, counted = recorded_views(fleet.connection)
    assert of_horses["filter"] == {"hired": ["yes"]}
    assert of_horses["search"].keys() == {"key", "ciphertext"}
    await load_search_keys([of_horses["search"]])
    assert decrypt_search(of_horses["search"], of_horses["request_id"]) == "HRS\nMeena\nsagar"
    assert of_drivers["filter"] == {"driving_license_expiry": ["..2026-11-30"]}
    assert "search" not in of_drivers
    assert counted["filter"] == {**of_drivers["filter"], "page": 9}


async def test_names_of_drivers_in_assignments_are_recorded(
    fleet: FollowedFleet, app: FastAPI, issuer: TokenIssuer
) -> None:
    fleet.register("assignment", "ASG-2", driver="driver-1")
    async with serve(app) as origin, client_of(origin, issuer, fleet) as client:
        await client.get("/api/v1/assignments?driver=driver-1")
        await client.get("/api/v1/assignments?driver=driver-1&names=true")
    views = [one for one in recorded_views(fleet.connection) if one["entity"] == "driver"]
    assert [(one["kind"], one["fields"], one["count"]) for one in views] == [("list", ["name"], 1)]


async def test_answers_without_personal_data_are_not_recorded(
    fleet: FollowedFleet, app: FastAPI, issuer: TokenIssuer
) -> None:
    masked = ["fleet:read", "history:read", "audit:read", "access-log:read", "notifications:manage"]
    async with (
        serve(app) as origin,
        client_of(origin, issuer, fleet) as client,
        client_of(origin, issuer, fleet, permissions=masked) as masked_client,
    ):
        expected = 0
        for address, kind in addresses().values():
            assert (await client.head(address)).status_code == 200
            assert (await masked_client.get(address)).status_code == 200
            expected += kind in ALWAYS
        for missing in ("EMP-9", "EMP-9/history", "EMP-9/seen-by", "add"):
            assert (await client.get(f"/api/v1/drivers/{missing}")).status_code == 404
        for address in ("/api/v1/drivers", "/api/v1/drivers/driver-1", "/api/v1/drivers/driver-1/history"):
            etag = (await client.get(address)).headers["etag"]
            expected += 1
            assert (await client.get(address, headers={"If-None-Match": etag})).status_code == 304
        assert (await client.get("/api/v1/audit?format=csv")).status_code == 200  # masked
        counted = (await client.get("/api/v1/drivers?page=1000&size=1")).json()
        assert (counted["content"], counted["page"]["totalElements"]) == ([], 1)
    assert len(recorded_views(fleet.connection)) == expected


async def test_answer_that_cannot_be_recorded_is_refused(
    fleet: FollowedFleet, app: FastAPI, issuer: TokenIssuer
) -> None:
    driver = "/api/v1/drivers/driver-1"
    async with (
        serve(app) as origin,
        client_of(origin, issuer, fleet) as client,
        client_of(origin, issuer, fleet, permissions=["fleet:read"]) as masked_client,
    ):
        etag = (await client.get(driver)).headers["etag"]
        recorder: Recorder = app.state.views
        recorder._most_entries = 0
        for address, kind in addresses().values():
            entity = next((one for one in ENTITY_TYPES if address.startswith(one.path)), None)
            answer = await client.get(address)
            if not is_shown(entity, kind):
                assert answer.status_code == 200
                continue
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), address
            assert "Ravi" not in answer.text
        assert (await masked_client.get(driver)).status_code == 200
        assert (await client.head(driver)).status_code == 200
        assert (await client.get(driver, headers={"If-None-Match": etag})).status_code == 304
        recorder._most_entries = MOST_ENTRIES
        assert (await client.get(driver)).status_code == 200
