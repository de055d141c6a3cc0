"""Events as comma-separated values: what a row says, and that no cell is a formula."""

import csv
import io
import json
from typing import Any

from ops.launcher.events.export import COLUMNS, MASKED, as_csv

ENVELOPE = {
    "sequence": "0000000000000000042",
    "time": "2026-11-21T04:10:45.123456Z",
    "type": "fleetlog.driver.details_changed.v2",
}
DATA = {"entity": "driver", "id": "EMP-1", "version": 2, "actor": {"id": "08805375"}, "request_id": "r"}


def rows_of(**data: Any) -> list[dict[str, str]]:
    rows = as_csv(json.dumps({**ENVELOPE, "data": {**DATA, **data}}))
    return list(csv.DictReader(io.StringIO(rows), COLUMNS))


def values(rows: list[dict[str, str]]) -> list[tuple[str, str, str]]:
    return [(row["field"], row["from"], row["to"]) for row in rows]


def test_a_change_gives_one_row_per_field() -> None:
    rows = rows_of(
        changes={"axles": {"from": 2, "to": 3}, "type": {"from": None, "to": "Flat"}}, masked=["data"]
    )
    assert values(rows) == [("axles", "2", "3"), ("type", "null", '"Flat"'), ("data", MASKED, MASKED)]
    common = [{name: row[name] for name in COLUMNS[:8]} for row in rows]
    assert common == 3 * [
        {
            "position": "42",
            "time": ENVELOPE["time"],
            "type": ENVELOPE["type"],
            "entity": "driver",
            "id": "EMP-1",
            "version": "2",
            "actor": "08805375",
            "request_id": "r",
        }
    ]


def test_a_registration_gives_one_row_per_field() -> None:
    rows = rows_of(details={"hired": "Yes", "owner": None}, masked=["name"])
    assert values(rows) == [("hired", "null", '"Yes"'), ("name", MASKED, MASKED)]


def test_masked_values_of_a_change_are_marked() -> None:
    rows = rows_of(changes={"status": {"from": "Maintenance"}}, masked=["status"])
    assert values(rows) == [("status", '"Maintenance"', MASKED)]


def test_an_event_without_fields_gives_one_row() -> None:
    assert values(rows_of()) == [("", "", "")]
    assert values(rows_of(actor=None, request_id=None)) == [("", "", "")]  # what could not be read


def test_no_cell_is_a_formula() -> None:
    rows = rows_of(
        id="=1+1",
        actor={"id": "@SUM(A1)"},
        request_id="+A1",
        changes={"type": {"from": "=A1", "to": "-2+3"}},
    )
    (row,) = rows
    assert (row["id"], row["actor"], row["request_id"]) == ("'=1+1", "'@SUM(A1)", "'+A1")
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row.values())
