"""Encrypted lists, pages and records equal unencrypted ones while their keys exist."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest
from projections_testing.encrypted_fleet import encrypted_fleet, erase, local_keys
from projections_testing.fleet import Fleet
from projections_testing.leases import catch_up
from projections_testing.planted import PLANTED
from query_api_testing.served import FollowedFleet

from ops.base.database.connection import connect
from ops.base.database.pools import Pool
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.stores import KeyStore
from ops.testing.postgres import Database, PostgresServer
from projections.entity_tables.search_terms import refill
from query_api.database import decryption
from query_api.database.lists import Lists, Records
from query_api.http.representation import Content
from query_api.paging.view import ListView
from read_model.tables import ENTITY_TABLES
from read_model.tables.search_terms import sortable_fields

DRIVERS = next(table for table in ENTITY_TABLES if table.name == "drivers")
NAMES = ("Zubeida", "zoë", "Ärmel", "abe", "Ignatius", "")


class Fleets(NamedTuple):
    """Pools of a database with an encrypted fleet, and of one with the same fleet unencrypted."""

    sealed: Pool
    clear: Pool


@pytest.fixture(scope="module")
async def fleets(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Fleets]:
    async with AsyncExitStack() as opened:
        store = await opened.enter_async_context(local_keys(tmp_path_factory.mktemp("keys")))
        pools = []
        for is_sealed in (True, False):
            database = postgres.create_database()
            owner = opened.enter_context(psycopg.connect(database.owner, autocommit=True))
            play(await encrypted_fleet(owner, store) if is_sealed else Fleet(owner))
            async with await connect(database.projections, autocommit=True) as connection:
                await catch_up(connection)
            pools.append(await opened.enter_async_context(Pool(database.query, size=1)))
        yield Fleets(*pools)


def play(fleet: Fleet) -> None:
    for entity, planted in PLANTED.items():
        for number, name in enumerate(NAMES):
            text = next((field for field in ("name", "owner_name", "owner") if field in planted), None)
            fleet.register(entity, f"{number}-x", **planted | ({text: name} if text else {}))
        fleet.change(entity, "0-x", **{field: None for field in planted if field in {"bank_name", "data"}})
        fleet.remove(entity, "1-x")


VIEWS = (
    *(None, ListView(), ListView(page=1, size=2, descending=True), ListView(q="zu", masked=True)),
    *(ListView(q=q, sort="id") for q in ("ignatius", "-x", "tiruv", "unknown", "ä")),
)


@pytest.mark.parametrize("aside_from", [decryption.DECRYPT_IN_THREAD_FROM, 1])
async def test_encrypted_lists_and_records_equal_plaintext_ones(
    fleets: Fleets, monkeypatch: pytest.MonkeyPatch, aside_from: int
) -> None:
    monkeypatch.setattr(decryption, "DECRYPT_IN_THREAD_FROM", aside_from)
    for table in ENTITY_TABLES:
        for view in (*VIEWS, *(ListView(sort=name, size=3) for name in sortable_fields(table.entity))):
            content, clear = [await Lists(pool).list(table, view) for pool in fleets]
            assert (content.json, content.count) == (clear.json, clear.count)
        for number in range(len(NAMES)):
            found, expected = [await Records(pool).single(table, f"{number}-x") for pool in fleets]
            assert type(found) is type(expected)
            if isinstance(found, Content) and isinstance(expected, Content):
                assert found.json == expected.json


async def test_rows_without_keys_have_only_harmless_values(
    database: Database, encrypted_fleet: FollowedFleet, store: KeyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for entity_id in ("EMP-1", "EMP-2"):
        encrypted_fleet.register("driver", entity_id, **PLANTED["driver"])
    await encrypted_fleet.catch_up()
    await erase(store, encrypted_fleet, "driver:EMP-1")
    async with Pool(database.query, size=1) as pool:
        for view in (None, ListView(), ListView(sort="city"), ListView(q="emp")):
            content = (await Lists(pool).list(DRIVERS, view)).json or b""
            assert content.count(b"Zubeida") == 1
            assert content.index(b'"id":"EMP-1","name":null') < content.index(b'"id":"EMP-2","name":"Zubeida')
        erased = await Records(pool).single(DRIVERS, "EMP-1")
        assert isinstance(erased, Content)
        assert b'"passport_number":null' in (erased.json or b"")
        KEYS.clear()
        monkeypatch.setattr(KEYS, "_store", None)  # as without a key store
        content = (await Lists(pool).list(DRIVERS)).json or b""
        assert (content.count(b"EMP-"), content.count(b"Zubeida")) == (2, 0)


async def test_lost_search_index_is_503_while_lists_can_be_read(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    await fleet.catch_up()
    async with await connect(database.projections, autocommit=True) as connection:
        asked: list[dict[str, Any]] = [{"q": "emp"}, {"sort": "name,asc"}, {"q": "emp", "page": 0}]
        unlogged = ", ".join(f"read.{table.search.name}" for table in ENTITY_TABLES)
        fleet.connection.execute(f"TRUNCATE read.searches, {unlogged}")  # as after a crash
        for parameters in asked:
            answer = await client.get("/api/v1/drivers", params=parameters)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            assert answer.json()["detail"] == (
                "The search index is being rebuilt. Lists can be read; please try again in a moment."
            )
        for path in ("/api/v1/drivers", "/api/v1/drivers?page=0", "/api/v1/drivers?size=5&q=%20"):
            assert [row["id"] for row in (await client.get(path)).json()["content"]] == ["EMP-1"]
        await refill(connection, DRIVERS)
        for parameters in asked:
            answer = await client.get("/api/v1/drivers", params=parameters)
            assert [row["id"] for row in answer.json()["content"]] == ["EMP-1"]
