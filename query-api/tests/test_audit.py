"""The audit trail over HTTP: filters, parts, exports and their masks, and who looked behind them."""

import csv
import io
import json
from datetime import timedelta
from typing import Any

import httpx
import psycopg
import pytest
from projections_testing.fleet import BEGIN, METADATA, Fleet
from projections_testing.following import catch_up

from command_api.domain.pseudonyms import KEY_BYTES, Pseudonyms
from command_api.domain.public import Publishing
from ops.base.database import connect, open_pool
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS, projections
from projections.rebuild.rebuilding import rebuild
from query_api.audit.exports import MASKED
from query_api.audit.parameters import Filter
from query_api.audit.timeline import Timeline
from query_api.parts import PartParameters

pytestmark = pytest.mark.integration

AUDIT = "/api/v1/audit"
ACCESSES = "/api/v1/access-log"


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


async def positions(client: httpx.AsyncClient, **parameters: Any) -> list[int]:
    response = await client.get(AUDIT, params=parameters)
    assert response.status_code == 200, response.text
    assert response.json()["next"] is None
    return [change["position"] for change in response.json()["content"]]


def at(position: int) -> str:
    return (BEGIN + timedelta(seconds=position)).isoformat()


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"order": "desc"}, [6, 5, 4, 3, 2, 1]),
        ({"entity": "driver"}, [1, 3, 4, 6]),
        ({"entity": "driver", "id": "EMP-1"}, [1, 3, 6]),
        ({"id": "HRS-1"}, [2, 5]),
        ({"type": "removed"}, [6]),
        ({"type": "horse.registered"}, [2]),
        ({"field": "city"}, [1, 3, 4]),
        ({"actor": METADATA.actor.sub}, [1, 2, 3, 4, 5, 6]),
        ({"actor": "nobody"}, []),
        ({"from": at(3), "to": at(5)}, [3, 4]),
        ({"from": at(6)}, [6]),
        ({"to": at(1)}, []),
        ({"q": "pune"}, [3, 4]),
        ({"q": "hrs-1"}, [2, 5]),
        ({"q": "%"}, []),
        ({"q": "TELEPHONE", "entity": "horse"}, [2, 5]),  # the reason
        ({"from": at(5), "to": at(2)}, []),
    ],
)
async def test_each_filter_lets_through_what_it_says(
    client: httpx.AsyncClient, past: Fleet, parameters: dict[str, str], expected: list[int]
) -> None:
    assert await positions(client, **parameters) == expected


async def test_it_can_be_read_part_by_part(client: httpx.AsyncClient, past: Fleet) -> None:
    for order, expected in (("asc", [1, 3, 4, 6]), ("desc", [6, 4, 3, 1])):
        seen, cursor = [], ""
        while True:
            page = await client.get(
                AUDIT,
                params={
                    "entity": "driver",
                    "limit": 1,
                    "order": order,
                    **({"cursor": cursor} if cursor else {}),
                },
            )
            seen += [change["position"] for change in page.json()["content"]]
            cursor = page.json()["next"]
            if cursor is None:
                break
        assert seen == expected


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("stretch", [1, 2, 4, 100])
async def test_a_search_that_takes_long_goes_on_where_it_stopped(
    past: Fleet, database: Database, stretch: int, *, descending: bool
) -> None:
    async with open_pool(database.query, size=1) as pool:
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
        everything = [
            change.position
            async for changes in hurried.everything(Filter(q="pune"), descending=descending)
            for change in changes
        ]
        assert everything == seen


async def test_an_export_masks_what_is_personal(client: httpx.AsyncClient, past: Fleet) -> None:
    export = await client.get(AUDIT, params={"format": "ndjson", "id": "EMP-1"})
    assert export.headers["content-type"] == "application/x-ndjson"
    assert "attachment" in export.headers["content-disposition"]
    lines = [json.loads(line) for line in export.text.splitlines()]
    assert [line["position"] for line in lines] == [1, 3, 6]
    assert {change["field"] for change in lines[1]["changes"]} == {"city", "name"}
    assert all(change == {"field": change["field"], "masked": True} for change in lines[1]["changes"])
    assert (lines[0]["actor"], lines[0]["reason"]) == (
        {"sub": METADATA.actor.sub, "name": MASKED},
        MASKED,
    )
    table = await client.get(AUDIT, params={"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(table.text)))
    hired = next(row for row in rows if row["field"] == "hired" and row["position"] == "5")
    assert (hired["from"], hired["to"]) == ("null", '"Yes"')  # a horse's is nobody's secret
    assert rows[-1]["type"] == "driver.removed"
    for personal in ("Ravi", "Pune", METADATA.actor.name, "telephone"):
        assert personal not in export.text + table.text


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


async def test_the_access_log_can_only_grow(database: Database) -> None:
    async with await connect(database.query, autocommit=True) as connection:
        for statement in (
            "INSERT INTO audit.accesses VALUES (9, gen_random_uuid(), now(), '', '', '', '', '{}', '')",
            "UPDATE audit.accesses SET action = ''",
            "DELETE FROM audit.accesses",
            "TRUNCATE audit.accesses",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await connection.execute(statement)


async def test_no_cell_of_an_export_is_a_formula(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("horse", "HRS-1", owner="=1+1", description="-2+3")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    fleet.connection.execute("UPDATE read.revisions SET reason = '=HYPERLINK(1)', actor_name = '@SUM(1)'")
    export = await client.get(AUDIT, params={"format": "csv", "reveal": "true"})
    for row in csv.reader(io.StringIO(export.text)):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
    assert "'=HYPERLINK(1)" in export.text
