"""The audit trail over HTTP: filters, pages, runs, exports, masks and permissions."""

import csv
import io
import json
from typing import Any

import httpx
import psycopg
import pytest
from projections_testing.fleet import DETAILS, METADATA
from query_api_testing.served import AUDIT, FollowedFleet, at, positions

from command_api.domain.publication import KEY_BYTES, Pseudonyms, PublicationPolicy
from ops.base.database.pools import Pool
from ops.testing.http_servers import pages_of
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS, projections
from projections.rebuild.rebuild import rebuild
from query_api.audit.exports import MASKED
from query_api.feed.filters import EVERYTHING
from query_api.feed.reader import EventReader, OutdatedRevisionsError

ACCESSES = "/api/v1/access-log"
EVENTS = "/api/v1/events"
NDJSON = {"Accept": "application/x-ndjson"}


@pytest.fixture
def past(fleet: FollowedFleet) -> FollowedFleet:
    fleet.register("driver", "EMP-1")  # 1
    fleet.register("horse", "HRS-1")  # 2
    fleet.change("driver", "EMP-1", city="Pune", name="Ravi K.")  # 3
    fleet.register("driver", "EMP-2", city="Pune")  # 4
    fleet.change("horse", "HRS-1", hired="Yes")  # 5
    fleet.remove("driver", "EMP-1")  # 6
    return fleet


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"order": "desc"}, [6, 5, 4, 3, 2, 1]),
        ({"entity": "driver"}, [1, 3, 4, 6]),
        ({"entity": "driver", "id": "EMP-1"}, [1, 3, 6]),
        ({"type": "removed"}, [6]),
        ({"type": "horse.registered"}, [2]),
        ({"field": "city"}, [3]),  # which registrations do not change
        ({"actor": METADATA.actor.sub}, [1, 2, 3, 4, 5, 6]),
        ({"from": at(3), "to": at(5)}, [3, 4]),
        ({"q": "pune"}, [3, 4]),
        ({"q": "ravi k.", "id": "EMP-1"}, [3, 6]),  # as it was called then
        ({"q": "%"}, []),
        ({"q": "TELEPHONE", "entity": "horse"}, [2, 5]),  # the reason
    ],
)
async def test_each_filter_selects_matching_changes(
    client: httpx.AsyncClient, past: FollowedFleet, parameters: dict[str, str], expected: list[int]
) -> None:
    assert await positions(client, **parameters) == expected


async def test_export_masks_personal_data(client: httpx.AsyncClient, past: FollowedFleet) -> None:
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
    assert (hired["from"], hired["to"]) == ("null", '"Yes"')  # not personal data
    assert rows[-1]["type"] == "driver.removed"
    assert (rows[0]["record_name"], rows[-1]["record_name"]) == (MASKED, MASKED)
    assert hired["record_name"] == DETAILS["horse"]["identifier"]
    for personal in ("Ravi", "Pune", METADATA.actor.name, "telephone"):
        assert personal not in export.text + table.text


async def test_undo_names_the_reverted_version(client: httpx.AsyncClient, past: FollowedFleet) -> None:
    past.undo_registration("driver", "EMP-2")
    shown = (await client.get(AUDIT, params={"id": "EMP-2"})).json()["content"]
    assert [change.get("undoes") for change in shown] == [None, 1]
    export = await client.get(AUDIT, params={"format": "csv", "id": "EMP-2"})
    assert [row["undoes"] for row in csv.DictReader(io.StringIO(export.text))][-2:] == ["", "1"]
    history = (await client.get("/api/v1/drivers/EMP-2/history")).json()["content"]
    assert [change.get("undoes") for change in history] == [None, 1]


async def test_csv_of_one_field_has_a_line_for_each_change(
    client: httpx.AsyncClient, past: FollowedFleet
) -> None:
    export = await client.get(AUDIT, params={"format": "csv", "field": "city", "reveal": "true"})
    (row,) = csv.DictReader(io.StringIO(export.text))
    assert (row["position"], row["field"], row["to"]) == ("3", "city", '"Pune"')
    assert row["record_name"] == "Ravi K."


async def test_no_cell_of_an_export_is_a_formula(client: httpx.AsyncClient, fleet: FollowedFleet) -> None:
    fleet.register("horse", "HRS-1", owner="=1+1", description="-2+3")
    await fleet.catch_up()
    fleet.connection.execute("UPDATE read.revisions SET reason = '=HYPERLINK(1)', actor_name = '@SUM(1)'")
    export = await client.get(AUDIT, params={"format": "csv", "reveal": "true"})
    for row in csv.reader(io.StringIO(export.text)):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
    assert "'=HYPERLINK(1)" in export.text


async def test_run_is_represented_by_its_last_change(
    past: FollowedFleet, database: Database, client: httpx.AsyncClient
) -> None:
    runs = ["7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11", "8e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11"]
    for number in range(5):  # 7 to 11
        past.register_in_batch(runs[number % 2], "driver", f"EMP-1{number}")
    past.register("horse", "HRS-2")  # 12

    async def listed(**parameters: Any) -> list[tuple[int, dict[str, int] | None]]:
        pages = pages_of(client, AUDIT, **{"runs": "once", "order": "desc", "limit": 2, **parameters})
        found = [one async for page in pages for one in page.json()["content"]]
        return [(one["position"], one.get("run", {}).get("changes")) for one in found]

    three, two = {"driver.registered": 3}, {"driver.registered": 2}
    alone = [(position, None) for position in (6, 5, 4, 3, 2, 1)]
    assert await listed() == [(12, None), (11, three), (10, two), *alone]
    assert await listed(order="asc") == (await listed())[::-1]
    assert await listed(**{"from": at(9), "to": at(11)}) == [
        (10, {"driver.registered": 1}),
        (9, {"driver.registered": 1}),
    ]
    assert await listed(entity="horse") == [(12, None), (5, None), (2, None)]
    assert await listed(actor=METADATA.actor.sub, entity="driver", **{"from": at(7)}) == [
        (11, three),
        (10, two),
    ]
    assert await listed(batch=runs[1]) == [(10, None), (8, None)]
    table = (await client.get(AUDIT, params={"batch": runs[1], "format": "csv"})).text
    assert {row["batch"] for row in csv.DictReader(io.StringIO(table))} == {runs[1]}
    assert await listed(batch="none") == []
    assert await listed(q="emp-12") == [(9, None)]
    export = await client.get(AUDIT, params={"runs": "once", "format": "ndjson", "batch": runs[0]})
    assert len(export.text.splitlines()) == 3


async def test_only_the_last_changes_of_a_long_run_are_counted(
    past: FollowedFleet, database: Database, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("query_api.audit.statements.MOST_COUNTED", 2)
    for number in range(4):
        past.register_in_batch("7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11", "driver", f"EMP-1{number}")
    (last, *_) = (await client.get(AUDIT, params={"runs": "once", "order": "desc"})).json()["content"]
    assert last["run"] == {"changes": {"driver.registered": 3}, "is_whole": False}


async def test_export_shows_published_free_text(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    """Free text is masked until it is published; publishing it requires a rebuild of the revisions."""
    fleet.register("horse", "HRS-1", owner="Ravi", metadata={"fuel": "diesel"})

    async def shown() -> dict[str, Any]:
        export = await client.get(AUDIT, params={"format": "ndjson"})
        return {change["field"]: change.get("to", MASKED) for change in export.json()["changes"]}

    assert (await shown())["metadata"] == MASKED
    await rebuild(database.projections, projections(PublicationPolicy(free_text=True))["revisions"])
    assert ((await shown())["metadata"], (await shown())["owner"]) == ({"fuel": "diesel"}, MASKED)
    await rebuild(database.projections, PROJECTIONS["revisions"])
    assert (await shown())["metadata"] == MASKED


async def test_pseudonym_of_the_event_stream_finds_the_subject(
    client: httpx.AsyncClient, past: FollowedFleet, database: Database
) -> None:
    pseudonyms = Pseudonyms(b"k" * KEY_BYTES)
    assert (
        await positions(client, actor=pseudonyms.of(METADATA.actor.sub)) == []
    )  # no pseudonym was published yet
    await rebuild(database.projections, projections(PublicationPolicy(pseudonyms=pseudonyms))["revisions"])
    events = await client.get("/api/v1/events", headers={"Accept": "application/x-ndjson"})
    (pseudonym,) = {json.loads(line)["data"]["actor"]["id"] for line in events.text.splitlines()}
    assert METADATA.actor.sub not in events.text
    assert await positions(client, actor=pseudonym) == [1, 2, 3, 4, 5, 6]
    export = await client.get(AUDIT, params={"format": "ndjson", "actor": pseudonym})
    assert json.loads(export.text.splitlines()[0])["actor"]["sub"] == METADATA.actor.sub
    assert await positions(client, actor=pseudonyms.of("dev|rohan")) == []


async def test_unmasked_export_is_recorded_before_it_starts(
    client: httpx.AsyncClient, past: FollowedFleet, database: Database
) -> None:
    assert (await client.get(ACCESSES)).json() == {"content": [], "next": None}
    asked = {"format": "csv", "reveal": "true", "entity": "driver", "from": at(3)}
    assert (await client.head(AUDIT, params=asked)).status_code == 200  # shows nothing
    revealed = await client.get(AUDIT, params=asked)
    assert "Ravi K." in revealed.text
    assert METADATA.actor.name in revealed.text
    await client.get(AUDIT, params={"format": "ndjson"})  # masked
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
async def test_events_of_an_earlier_release_are_not_published(
    client: httpx.AsyncClient, past: FollowedFleet, database: Database, form: str
) -> None:
    """Such events may show what is masked now, until a worker has rebuilt them."""
    await past.catch_up()
    past.connection.execute("UPDATE read.positions SET version = 2 WHERE projection = 'revisions'")
    past.connection.execute('UPDATE read.revisions SET public_event = \'{"plate": "KA01AB1234"}\'')
    answer = await client.get(EVENTS, params={"format": form})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")
    assert "KA01AB1234" not in answer.text
    async with Pool(database.query, size=1) as pool:
        with pytest.raises(OutdatedRevisionsError):  # also for readers that continue
            await EventReader(pool, "").read("log", EVERYTHING, after=0, upto=6, limit=10)
    await rebuild(database.projections, PROJECTIONS["revisions"])
    again = await client.get(EVENTS, headers=NDJSON)
    assert (again.status_code, again.text.count("\n")) == (200, 6)
    assert "KA01AB1234" not in again.text
