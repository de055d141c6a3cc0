"""Everybody is told of the views that they have saved, and the database does not know what is in them."""

import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import psycopg
import pytest
from projections_testing.sealing_fleet import local_keys

from command_api.http.saved_views import SavedViews
from ops.base.encryption.key_cache import KEYS
from ops.base.settings import ServiceSettings
from ops.testing.postgres import Database
from ops.testing.serving import serving
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app

pytestmark = pytest.mark.integration

VIEWS = "/api/v1/views"
ASHA, OMAR = "dev|asha", "dev|omar"
QUERY = "q=Ravindranath&sort=-name"


@pytest.fixture
async def views(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[SavedViews]:
    """What writes them down, where things are sealed."""
    monkeypatch.setenv("FLEETLOG_KEYS", str(tmp_path))
    async with local_keys(tmp_path):
        yield SavedViews(database.command)


@pytest.fixture
async def client(
    views: SavedViews,
    database: Database,
    settings_with: Callable[..., ServiceSettings],
    issuer: TokenIssuer,
) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(build_app(settings_with(database=database.query))) as origin:
        headers = {"Authorization": f"Bearer {issuer.token(sub=ASHA, permissions=[])}"}
        async with httpx.AsyncClient(base_url=origin, headers=headers, trust_env=False, timeout=60) as client:
            yield client


def rows(database: Database) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.owner) as connection:
        return connection.execute("SELECT key_id, box FROM preferences.views").fetchall()


async def test_one_reads_one_s_own_at_once_by_list_and_name(
    client: httpx.AsyncClient, views: SavedViews
) -> None:
    assert (await client.get(VIEWS)).json() == {"content": []}
    saved = [
        await views.save(sub, uuid.uuid4(), of_list, name, QUERY)
        for sub, of_list, name in [
            (ASHA, "trailers", "Mine"),
            (ASHA, "drivers", "beta"),
            (ASHA, "drivers", "Alpha"),
            (OMAR, "drivers", "Nobody else's business"),
        ]
    ]
    answer = await client.get(VIEWS)
    assert answer.json()["content"] == [view.model_dump() for view in (saved[2], saved[1], saved[0]) if view]
    assert (await client.get(VIEWS, headers={"If-None-Match": answer.headers["etag"]})).status_code == 304
    assert (await client.get(VIEWS, headers={"Authorization": ""})).status_code == 401


async def test_it_is_as_the_document_says(client: httpx.AsyncClient, views: SavedViews) -> None:
    await views.save(ASHA, uuid.uuid4(), "drivers", "Mine", QUERY)
    document = (await client.get("/openapi.json")).json()
    found = document["paths"][VIEWS]["get"]["responses"]["200"]["content"]["application/json"]
    schema = {**found["schema"], "components": document["components"]}
    for told in (found["example"], (await client.get(VIEWS)).json()):
        jsonschema.validate(told, schema)


async def test_the_database_has_boxes_each_under_a_key_of_its_own(
    client: httpx.AsyncClient, views: SavedViews, database: Database
) -> None:
    for _ in range(2):
        await views.save(ASHA, uuid.uuid4(), "drivers", "Ravindranath", QUERY)
    (one, _), (other, _) = rows(database)
    assert one is not None
    assert one != other
    assert not any(b"Ravindranath" in box for _, box in rows(database))
    await KEYS.store.erase([one])
    KEYS.clear()
    assert len((await client.get(VIEWS)).json()["content"]) == 1


async def test_a_box_in_another_s_place_is_not_believed(
    client: httpx.AsyncClient, views: SavedViews, database: Database
) -> None:
    await views.save(OMAR, uuid.uuid4(), "drivers", "Mine", QUERY)
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute("UPDATE preferences.views SET sub = %s", [ASHA])
    assert (await client.get(VIEWS)).json() == {"content": []}
