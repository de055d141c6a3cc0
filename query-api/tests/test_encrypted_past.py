"""The encrypted past equals the unencrypted one; erased records keep what is not personal."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest
from projections_testing.encrypted_fleet import erase
from projections_testing.fleet import DETAILS, METADATA, Fleet
from projections_testing.planted import PLANTED
from query_api_testing.served import AUDIT, FollowedFleet, at, client_of, parts_of, positions

from ops.base.database.pools import Pool
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.stores import KeyStore
from ops.base.permissions import Permission
from ops.base.records.entities import ENTITY_TYPES
from ops.base.settings import ServiceSettings
from ops.testing.conditions import wait_until
from ops.testing.http_servers import serve
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app
from query_api.audit import timeline
from query_api.audit.exports import ERASED, MASKED
from query_api.audit.parameters import ChangeFilter
from query_api.audit.timeline import Timeline
from query_api.http.parameters import PageParameters

DRIVER = "/api/v1/drivers/ID-1"


class Served(NamedTuple):
    """A fleet, and clients of its query API with and without `personal:read`."""

    fleet: FollowedFleet
    client: httpx.AsyncClient
    masked: httpx.AsyncClient


def play(fleet: Fleet) -> None:
    for entity, planted in PLANTED.items():
        fleet.register(entity, "ID-1")
        fleet.change(entity, "ID-1", **planted)
        fleet.register(entity, "ID-2", **planted)
        fleet.remove(entity, "ID-2")
        fleet.register(entity, "ID-2")
    fleet.change("horse", "ID-1", hired="Yes")
    fleet.change("driver", "ID-1", city="ÇAĞLAYAN İstanbul")


@pytest.fixture
async def sealed(
    encrypted_fleet: FollowedFleet, client: httpx.AsyncClient, masked_client: httpx.AsyncClient
) -> Served:
    play(encrypted_fleet)
    await encrypted_fleet.catch_up()
    return Served(encrypted_fleet, client, masked_client)


@pytest.fixture
def clear(
    module_database: Database, settings_with: Callable[..., ServiceSettings], issuer: TokenIssuer
) -> Callable[[], Any]:
    """The same fleet unencrypted, queried after the other one: a process has one directory of actors."""

    @asynccontextmanager
    async def clear() -> AsyncIterator[Served]:
        permitted = [permission for permission in Permission if permission != Permission.PERSONAL_READ]
        with psycopg.connect(module_database.owner, autocommit=True) as owner:
            fleet = FollowedFleet(owner, module_database)
            fleet.clear()
            play(fleet)
            async with (
                serve(build_app(settings_with(database=module_database.query))) as origin,
                client_of(origin, issuer, fleet) as client,
                client_of(origin, issuer, fleet, permissions=permitted) as masked,
            ):
                yield Served(fleet, client, masked)

    return clear


def questions(positions: int) -> list[tuple[str, dict[str, Any]]]:
    asked: list[tuple[str, dict[str, Any]]] = []
    for entity in ENTITY_TYPES:
        for entity_id in ("ID-1", "ID-2"):
            one = f"{entity.path}/{entity_id}"
            asked += [(f"{one}/history", {"order": order}) for order in ("asc", "desc")]
            asked += [(f"{one}/history", {"limit": 1}), (f"{one}/history", {"actor": METADATA.actor.sub})]
            asked += [(f"{one}/diff", {"from": 1, "to": 2}), (f"{one}/diff", {"from": 0, "to": 1})]
            asked += [(f"{one}/blame", {}), (f"{one}/blame", {"version": 1}), (one, {"version": 1})]
            asked += [(one, {"version": 2}), (one, {"as_of": at(positions)})]
        asked += [(entity.path, {"as_of": at(position)}) for position in range(1, positions + 1, 8)]
    asked += [(f"{DRIVER}/history", {"field": name}) for name in ("address_2", "city", "swift_code")]
    asked += [(AUDIT, of) for of in ({}, {"order": "desc", "limit": 3}, {"entity": "horse"}, {"id": "ID-2"})]
    asked += [(AUDIT, {"field": name}) for name in ("address_2", "engine_number", "owner")]
    words = ("zubeida", "VERMILION", "ravi", "hosur", "telephone", "id-2", "asha", "MAT1", "%", "çağlayan i")
    asked += [(AUDIT, {"q": word, "limit": (2, 100)[place % 2]}) for place, word in enumerate(words)]
    for form in ("csv", "ndjson"):
        asked += [(AUDIT, {"format": form, "reveal": reveal}) for reveal in ("true", "false")]
        asked += [(AUDIT, {"format": form, "q": "quartermaine"})]
    return asked


def content_of(response: httpx.Response, log_id: str) -> tuple[int, Any]:
    """Return the content without the log's id; of a problem, only its status."""
    text = response.text.replace(log_id[:12], "log") if response.status_code == 200 else ""
    if not text or "json" not in response.headers["content-type"]:
        return response.status_code, text
    if response.headers["content-type"] == "application/x-ndjson":
        return 200, [json.loads(line) for line in text.splitlines()]
    return 200, json.loads(text)


async def answers_of(served: Served) -> list[tuple[str, dict[str, Any], tuple[int, Any]]]:
    ((log_id,),) = served.fleet.connection.execute("SELECT log_id FROM log.identity").fetchall()
    return [
        (path, parameters, content_of(await client.get(path, params=parameters), str(log_id)))
        for path, parameters in questions(served.fleet.position)
        for client in (served.client, served.masked)
    ]


async def test_encrypted_past_equals_plaintext_past(sealed: Served, clear: Callable[[], Any]) -> None:
    ours = await answers_of(sealed)
    async with clear() as other:
        theirs = await answers_of(other)
    assert sum(status == 200 for _, _, (status, _) in ours) > 200
    for mine, its in zip(ours, theirs, strict=True):
        assert mine == its


async def test_record_name_is_shown_unless_masked_or_erased(sealed: Served, store: KeyStore) -> None:
    async def named(client: httpx.AsyncClient, entity: str, member: str = "record_name") -> list[Any]:
        answer = await client.get(AUDIT, params={"entity": entity})
        return [change.get(member) for change in answer.json()["content"]]

    first, then = DETAILS["driver"]["name"], PLANTED["driver"]["name"]
    assert await named(sealed.client, "driver") == [first, then, then, then, first, then]
    assert set(await named(sealed.masked, "driver")) == {None}
    assert all("record_name" in hidden for hidden in await named(sealed.masked, "driver", "masked"))
    assert await named(sealed.masked, "horse") == await named(sealed.client, "horse") != []
    assert await positions(sealed.masked, q=DETAILS["location"]["name"])
    await erase(store, sealed.fleet, "driver:ID-1")
    assert await named(sealed.client, "driver") == [None, None, then, then, first, None]
    erased = await named(sealed.client, "driver", "erased")
    assert ["record_name" in (names or ()) for names in erased] == [True, True, False, False, False, True]


async def test_search_of_encrypted_changes_continues_at_its_cursor(
    sealed: Served, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = await positions(sealed.client, q="behind vermilion")
    monkeypatch.setattr(timeline, "DECRYPTED_ROWS", 2)
    async with Pool(database.query, size=1) as pool:
        for batch, descending in product([1, 3, 100], [False, True]):
            hurried = Timeline(pool, batch=batch, patience_seconds=-1)
            wanted = ChangeFilter(q="behind vermilion")
            first = PageParameters(limit=1, order="desc" if descending else "asc")
            parts = parts_of(partial(hurried.page, wanted), first)
            seen = [change.position async for found in parts for change in found]
            assert seen == (expected[::-1] if descending else expected)
            every = [
                change.position
                async for some in hurried.everything(wanted, descending=descending)
                for change in some
            ]
            assert every == seen


async def test_erasure_changes_no_masked_answer(sealed: Served, store: KeyStore) -> None:
    paths = (f"{DRIVER}/history", f"{DRIVER}/diff?from=1&to=2", f"{DRIVER}/blame", f"{DRIVER}?version=1")
    before = [(await sealed.masked.get(path)).json() for path in paths]
    await erase(store, sealed.fleet, "driver:ID-1")
    others = (f"{paths[0]}?limit=50", *paths[1:])  # other parameters bypass the cache
    assert [(await sealed.masked.get(path)).json() for path in others] == before


async def test_erased_record_is_marked_in_exports_and_not_searched(sealed: Served, store: KeyStore) -> None:
    await erase(store, sealed.fleet, "driver:ID-1")
    assert await positions(sealed.client, q="çağlayan") == []
    assert await positions(sealed.client, q="zubeida") == [3, 4]  # another driver with the same name
    assert await positions(sealed.client, field="city", id="ID-1") == [2, sealed.fleet.position]
    revealed = {"format": "csv", "reveal": "true", "id": "ID-1", "entity": "driver"}
    table = (await sealed.client.get(AUDIT, params=revealed)).text
    assert f"{ERASED},,{ERASED},{ERASED},city,{ERASED},{ERASED},,,,\r\n" in table
    lines = (await sealed.client.get(AUDIT, params={**revealed, "format": "ndjson"})).text
    assert all(json.loads(line)["erased"] for line in lines.splitlines())
    hidden = (await sealed.client.get(AUDIT, params={**revealed, "reveal": "false"})).text
    assert f",city,{MASKED},{MASKED},,,,\r\n" in hidden
    for planted in (*PLANTED["driver"].values(), METADATA.actor.name, "telephone"):
        assert planted not in table + lines + hidden


async def test_unavailable_keys_are_503_instead_of_erased(sealed: Served, tmp_path: Path) -> None:
    (tmp_path / "keys.sqlite").write_bytes(b"no database" * 1000)
    KEYS.clear()
    answer = await sealed.client.get(f"{DRIVER}/history", params={"limit": 7})
    assert (answer.status_code, answer.json()["detail"]) == (
        503,
        "Encrypted data cannot be read now. Please try again.",
    )


async def test_access_log_stores_subjects_and_shows_names(
    sealed: Served,
) -> None:
    await sealed.client.get(AUDIT, params={"format": "csv", "reveal": "true", "id": "ID-1"})
    await sealed.client.get(DRIVER, params={"version": 1})

    def recorded() -> str:
        rows = sealed.fleet.connection.execute("SELECT actor_name, details::text FROM audit.accesses")
        return "".join(f"{name} {details}" for name, details in rows)

    await wait_until(lambda: "{entity_id}" in recorded())
    assert METADATA.actor.name not in recorded()
    views = (await sealed.client.get("/api/v1/access-log", params={"show": "views"})).json()["content"]
    exports = (await sealed.client.get("/api/v1/access-log")).json()["content"]
    assert {(one["actor"]["sub"], one["actor"]["name"]) for one in (*views, *exports)} == {
        (METADATA.actor.sub, METADATA.actor.name)
    }
    sealed.fleet.connection.execute("UPDATE log.actors SET ciphertext = NULL")
    ACTORS.clear()
    for asked in ({"show": "views"}, {}):
        log = await sealed.client.get("/api/v1/access-log", params=asked)
        for one in log.json()["content"]:
            assert (one["actor"]["name"], one["erased"]) == (None, ["actor.name"])
