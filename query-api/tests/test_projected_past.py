"""What the past shows depends on which release has written it, on what is published, and on who may look."""

import csv
import io
import json
from itertools import product
from typing import Any

import httpx
import psycopg
import pytest
from projections_testing.fleet import METADATA, Fleet
from projections_testing.following import catch_up
from query_api_testing.audit import AUDIT, at, positions

from command_api.domain.pseudonyms import KEY_BYTES, Pseudonyms
from command_api.domain.public import Publishing
from ops.base.database.pools import connect, open_pool
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS, projections
from projections.rebuild.rebuilding import rebuild
from query_api.audit.exports import MASKED
from query_api.audit.parameters import Filter
from query_api.audit.timeline import Timeline
from query_api.feed.filters import EVERYTHING
from query_api.feed.reading import Reader, WrittenByAnother
from query_api.http.parts import PartParameters

pytestmark = pytest.mark.integration

ACCESSES = "/api/v1/access-log"
EVENTS = "/api/v1/events"
NDJSON = {"Accept": "application/x-ndjson"}


@pytest.fixture
async def past(fleet: Fleet, database: Database) -> Fleet:
    fleet.register("driver", "EMP-1")  # 1
    fleet.register("horse", "HRS-1")  # 2
    fleet.change("driver", "EMP-1", city="Pune", name="Ravi K.")  # 3
    fleet.register("driver", "EMP-2", city="Pune")  # 4
    fleet.change("horse", "HRS-1", hired="Yes")  # 5
    fleet.remove("driver", "EMP-1")  # 6
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    return fleet


async def test_an_undo_names_the_version_that_it_undoes(
    past: Fleet, database: Database, client: httpx.AsyncClient
) -> None:
    past.undo_registration("driver", "EMP-2")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    told = (await client.get("/api/v1/drivers/EMP-2/history")).json()["content"]
    assert [change.get("undoes") for change in told] == [None, 1]


async def test_what_came_in_one_run_is_one_thing_in_the_trail(
    past: Fleet, database: Database, client: httpx.AsyncClient
) -> None:
    runs = ["7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11", "8e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11"]
    for number in range(4):
        past.register_in_batch(runs[number % 2], "driver", f"EMP-1{number}")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    found = (await client.get("/api/v1/audit", params={"batch": runs[0]})).json()
    assert [(change["id"], change["batch"]) for change in found["content"]] == [
        ("EMP-10", runs[0]),
        ("EMP-12", runs[0]),
    ]
    assert found["next"] is None
    table = (await client.get("/api/v1/audit", params={"batch": runs[1], "format": "csv"})).text
    assert {row["batch"] for row in csv.DictReader(io.StringIO(table))} == {runs[1]}
    none = (await client.get("/api/v1/audit", params={"batch": "none"})).json()
    assert none["content"] == []


async def test_a_run_is_told_once_by_its_last_change_with_how_many_it_has(
    past: Fleet, database: Database, client: httpx.AsyncClient
) -> None:
    runs = ["7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11", "8e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11"]
    for number in range(5):  # 7 to 11
        past.register_in_batch(runs[number % 2], "driver", f"EMP-1{number}")
    past.register("horse", "HRS-2")  # 12
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)

    async def told(**parameters: Any) -> list[tuple[int, dict[str, int] | None]]:
        seen: list[tuple[int, dict[str, int] | None]] = []
        cursor: dict[str, str] = {}
        while True:
            asked = {"runs": "once", "order": "desc", "limit": 2, **parameters, **cursor}
            page = (await client.get(AUDIT, params=asked)).json()
            seen += [(one["position"], one.get("run", {}).get("changes")) for one in page["content"]]
            if page["next"] is None:
                return seen
            cursor = {"cursor": page["next"]}

    three, two = {"driver.registered": 3}, {"driver.registered": 2}
    alone = [(position, None) for position in (6, 5, 4, 3, 2, 1)]
    assert await told() == [(12, None), (11, three), (10, two), *alone]
    assert await told(order="asc") == (await told())[::-1]
    assert await told(**{"from": at(9), "to": at(11)}) == [
        (10, {"driver.registered": 1}),
        (9, {"driver.registered": 1}),
    ]
    assert await told(entity="horse") == [(12, None), (5, None), (2, None)]
    assert await told(actor=METADATA.actor.sub, entity="driver", **{"from": at(7)}) == [
        (11, three),
        (10, two),
    ]
    assert await told(batch=runs[1]) == [(10, None), (8, None)]
    assert await told(q="emp-12") == [(9, None)]
    export = await client.get(AUDIT, params={"runs": "once", "format": "ndjson", "batch": runs[0]})
    assert len(export.text.splitlines()) == 3


async def test_of_a_very_long_run_the_last_changes_are_counted(
    past: Fleet, database: Database, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("query_api.audit.runs.MOST_COUNTED", 2)
    for number in range(4):
        past.register_in_batch("7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11", "driver", f"EMP-1{number}")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    (last, *_) = (await client.get(AUDIT, params={"runs": "once", "order": "desc"})).json()["content"]
    assert last["run"] == {"changes": {"driver.registered": 3}, "is_whole": False}


async def test_a_search_that_takes_long_goes_on_where_it_stopped(past: Fleet, database: Database) -> None:
    async with open_pool(database.query, size=1) as pool:
        for stretch, descending in product([1, 2, 4, 100], [False, True]):
            hurried = Timeline(pool, stretch=stretch, patience_seconds=-1)
            seen, cursor, parts = [], None, 0
            while True:
                found, cursor = await hurried.part(
                    Filter(q="pune"),
                    PartParameters(cursor=cursor, limit=1, order="desc" if descending else "asc"),
                )
                seen += [change.position for change in found]
                parts += 1
                if cursor is None:
                    break
            assert seen == ([4, 3] if descending else [3, 4])
            assert parts >= 6 // stretch
            everything = hurried.everything(Filter(q="pune"), descending=descending)
            assert [change.position async for changes in everything for change in changes] == seen


async def test_an_export_shows_what_everybody_is_shown(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    """Free text is masked until it is published; who has turned that on builds the revisions again."""
    fleet.register("horse", "HRS-1", owner="Ravi", metadata={"fuel": "diesel"})
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)

    async def shown() -> dict[str, Any]:
        export = await client.get(AUDIT, params={"format": "ndjson"})
        return {change["field"]: change.get("to", MASKED) for change in export.json()["changes"]}

    assert (await shown())["metadata"] == MASKED
    await rebuild(database.projections, projections(Publishing(free_text=True))["revisions"])
    assert ((await shown())["metadata"], (await shown())["owner"]) == ({"fuel": "diesel"}, MASKED)
    await rebuild(database.projections, PROJECTIONS["revisions"])
    assert (await shown())["metadata"] == MASKED


async def test_a_pseudonym_of_the_event_stream_leads_auditors_to_the_person(
    client: httpx.AsyncClient, past: Fleet, database: Database
) -> None:
    pseudonyms = Pseudonyms(b"k" * KEY_BYTES)
    assert await positions(client, actor=pseudonyms.of(METADATA.actor.sub)) == []  # none was given yet
    await rebuild(database.projections, projections(Publishing(pseudonyms=pseudonyms))["revisions"])
    events = await client.get("/api/v1/events", headers={"Accept": "application/x-ndjson"})
    (pseudonym,) = {json.loads(line)["data"]["actor"]["id"] for line in events.text.splitlines()}
    assert METADATA.actor.sub not in events.text
    assert await positions(client, actor=pseudonym) == [1, 2, 3, 4, 5, 6]
    export = await client.get(AUDIT, params={"format": "ndjson", "actor": pseudonym})
    assert json.loads(export.text.splitlines()[0])["actor"]["sub"] == METADATA.actor.sub
    assert await positions(client, actor=pseudonyms.of("dev|rohan")) == []


async def test_looking_behind_the_masks_is_recorded_first(
    client: httpx.AsyncClient, past: Fleet, database: Database
) -> None:
    assert (await client.get(ACCESSES)).json() == {"content": [], "next": None}
    asked = {"format": "csv", "reveal": "true", "entity": "driver", "from": at(3)}
    assert (await client.head(AUDIT, params=asked)).status_code == 200  # which shows nothing
    revealed = await client.get(AUDIT, params=asked)
    assert "Ravi K." in revealed.text
    assert METADATA.actor.name in revealed.text
    await client.get(AUDIT, params={"format": "ndjson"})  # which is masked
    (access,) = (await client.get(ACCESSES)).json()["content"]
    assert access["action"] == "audit-export-revealed"
    assert access["details"]["format"] == "csv"
    assert access["details"]["filter"]["entity"] == "driver"
    assert access["request_id"] == revealed.headers["x-request-id"]
    assert access["actor"]["sub"]
    with psycopg.connect(database.owner, autocommit=True) as owner:
        owner.execute("REVOKE EXECUTE ON FUNCTION audit.record_access FROM fleetlog_reader")
        try:
            refused = await client.get(AUDIT, params=asked)
            assert refused.status_code == 500
            assert "Ravi" not in refused.text
        finally:
            owner.execute("GRANT EXECUTE ON FUNCTION audit.record_access TO fleetlog_reader")


@pytest.mark.parametrize("form", ["sse", "ndjson", "batch"])
async def test_nothing_is_published_of_what_an_earlier_release_has_written(
    client: httpx.AsyncClient, past: Fleet, database: Database, form: str
) -> None:
    """It may show what is masked now; the worker is about to write it anew."""
    past.connection.execute("UPDATE read.positions SET version = 2 WHERE projection = 'revisions'")
    past.connection.execute('UPDATE read.revisions SET public_event = \'{"plate": "KA01AB1234"}\'')
    answer = await client.get(EVENTS, params={"format": form})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")
    assert "KA01AB1234" not in answer.text
    async with open_pool(database.query, size=1) as pool:
        with pytest.raises(WrittenByAnother):  # also where somebody reads on from before
            await Reader(pool, "").read("log", EVERYTHING, after=0, upto=6, limit=10)
    await rebuild(database.projections, PROJECTIONS["revisions"])
    again = await client.get(EVENTS, headers=NDJSON)
    assert (again.status_code, again.text.count("\n")) == (200, 6)
    assert "KA01AB1234" not in again.text
