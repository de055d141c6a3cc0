"""Users see only their own saved views, which are encrypted in the database."""

import uuid
from collections.abc import AsyncIterator
from typing import Any

import httpx
import psycopg
import pytest
from query_api_testing.served import client_of

from command_api.http.saved_views import SavedViews
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.stores import KeyStore
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer

VIEWS = "/api/v1/views"
ASHA, OMAR = "dev|asha", "dev|omar"
QUERY = "q=Ravindranath&sort=-name"


@pytest.fixture
def views(database: Database, store: KeyStore) -> SavedViews:
    return SavedViews(database.command)


@pytest.fixture
async def client(views: SavedViews, origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(origin, issuer, sub=ASHA, permissions=[]) as client:
        yield client


def rows(database: Database) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.owner) as connection:
        return connection.execute("SELECT key_id, ciphertext FROM preferences.views").fetchall()


async def test_users_see_only_their_own_views_by_list_and_name(
    client: httpx.AsyncClient, views: SavedViews
) -> None:
    assert (await client.get(VIEWS)).json() == {"content": []}
    saved = [
        await views.save(sub, uuid.uuid4(), of_list, name, QUERY)
        for sub, of_list, name in [
            (ASHA, "trailers", "Mine"),
            (ASHA, "drivers", "beta"),
            (ASHA, "drivers", "Alpha"),
            (OMAR, "drivers", "Private"),
        ]
    ]
    answer = await client.get(VIEWS)
    assert answer.json()["content"] == [view.model_dump() for view in (saved[2], saved[1], saved[0]) if view]
    assert (await client.get(VIEWS, headers={"If-None-Match": answer.headers["etag"]})).status_code == 304
    assert (await client.get(VIEWS, headers={"Authorization": ""})).status_code == 401


async def test_each_view_is_encrypted_with_its_own_key(
    client: httpx.AsyncClient, views: SavedViews, database: Database
) -> None:
    for _ in range(2):
        await views.save(ASHA, uuid.uuid4(), "drivers", "Ravindranath", QUERY)
    (one, _), (other, _) = rows(database)
    assert one is not None
    assert one != other
    assert not any(b"Ravindranath" in ciphertext for _, ciphertext in rows(database))
    await KEYS.store.erase([one])
    KEYS.clear()
    assert len((await client.get(VIEWS)).json()["content"]) == 1


async def test_view_moved_to_another_user_is_not_decrypted(
    client: httpx.AsyncClient, views: SavedViews, database: Database
) -> None:
    await views.save(OMAR, uuid.uuid4(), "drivers", "Mine", QUERY)
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute("UPDATE preferences.views SET sub = %s", [ASHA])
    assert (await client.get(VIEWS)).json() == {"content": []}
