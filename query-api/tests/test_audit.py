"""The audit trail over HTTP: filters, parts, exports and their masks."""

import csv
import io
import json

import httpx
import pytest
from projections_testing.fleet import DETAILS, METADATA
from query_api_testing.audit import AUDIT, at, positions
from query_api_testing.fleet_in_memory import FleetInMemory

from query_api.audit.exports import MASKED


@pytest.fixture
def fleet(fleet_in_memory: FleetInMemory) -> FleetInMemory:
    return fleet_in_memory


@pytest.fixture
def client(hasty_client: httpx.AsyncClient) -> httpx.AsyncClient:
    return hasty_client


@pytest.fixture
def past(fleet: FleetInMemory) -> FleetInMemory:
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
        ({"id": "HRS-1"}, [2, 5]),
        ({"type": "removed"}, [6]),
        ({"type": "horse.registered"}, [2]),
        ({"field": "city"}, [3]),  # which registrations do not change
        ({"field": "city", "type": "registered"}, []),
        ({"actor": METADATA.actor.sub}, [1, 2, 3, 4, 5, 6]),
        ({"actor": "nobody"}, []),
        ({"from": at(3), "to": at(5)}, [3, 4]),
        ({"from": at(6)}, [6]),
        ({"to": at(1)}, []),
        ({"q": "pune"}, [3, 4]),
        ({"q": "ravi k.", "id": "EMP-1"}, [3, 6]),  # as it was called then
        ({"q": "hrs-1"}, [2, 5]),
        ({"q": "%"}, []),
        ({"q": "TELEPHONE", "entity": "horse"}, [2, 5]),  # the reason
        ({"from": at(5), "to": at(2)}, []),
    ],
)
async def test_each_filter_lets_through_what_it_says(
    client: httpx.AsyncClient, past: FleetInMemory, parameters: dict[str, str], expected: list[int]
) -> None:
    assert await positions(client, **parameters) == expected


async def test_it_can_be_read_part_by_part(client: httpx.AsyncClient, past: FleetInMemory) -> None:
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


async def test_an_export_masks_what_is_personal(client: httpx.AsyncClient, past: FleetInMemory) -> None:
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
    assert (rows[0]["record_name"], rows[-1]["record_name"]) == (MASKED, MASKED)
    assert hired["record_name"] == DETAILS["horse"]["identifier"]
    for personal in ("Ravi", "Pune", METADATA.actor.name, "telephone"):
        assert personal not in export.text + table.text


async def test_an_undo_names_the_version_that_it_undoes(
    client: httpx.AsyncClient, past: FleetInMemory
) -> None:
    past.undo_registration("driver", "EMP-2")
    shown = (await client.get(AUDIT, params={"id": "EMP-2"})).json()["content"]
    assert [change.get("undoes") for change in shown] == [None, 1]
    export = await client.get(AUDIT, params={"format": "csv", "id": "EMP-2"})
    assert [row["undoes"] for row in csv.DictReader(io.StringIO(export.text))][-2:] == ["", "1"]


async def test_each_change_tells_what_its_record_was_called_then(
    client: httpx.AsyncClient, past: FleetInMemory
) -> None:
    named = {
        change["position"]: change["record_name"] for change in (await client.get(AUDIT)).json()["content"]
    }
    first, horse = DETAILS["driver"]["name"], DETAILS["horse"]["identifier"]
    assert named == {1: first, 2: horse, 3: "Ravi K.", 4: first, 5: horse, 6: "Ravi K."}


async def test_a_table_of_one_field_has_a_line_for_each_change_of_it(
    client: httpx.AsyncClient, past: FleetInMemory
) -> None:
    export = await client.get(AUDIT, params={"format": "csv", "field": "city", "reveal": "true"})
    (row,) = csv.DictReader(io.StringIO(export.text))
    assert (row["position"], row["field"], row["to"]) == ("3", "city", '"Pune"')
    assert row["record_name"] == "Ravi K."


async def test_no_cell_of_an_export_is_a_formula(client: httpx.AsyncClient, fleet: FleetInMemory) -> None:
    fleet.register("horse", "HRS-1", owner="=1+1", description="-2+3")
    (revision,) = fleet.past.revisions
    fleet.past.revisions = [revision._replace(reason="=HYPERLINK(1)", actor_name="@SUM(1)")]
    export = await client.get(AUDIT, params={"format": "csv", "reveal": "true"})
    for row in csv.reader(io.StringIO(export.text)):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
    assert "'=HYPERLINK(1)" in export.text
