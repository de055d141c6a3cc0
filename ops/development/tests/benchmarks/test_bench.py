"""`./fleetlog bench`, with tiny counts: what it prints and writes, not what it measures."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ops.development.benchmarks.comparisons import NAMES
from ops.development.benchmarks.costing import PARTS
from ops.launcher.paths import PYTHON

pytestmark = pytest.mark.integration

MEASURED = ("one-304", "list-10000-gzip", "visible", "create-insert", "rebuild")
"""One of each kind."""


def bench(folder: Path, *names: str) -> tuple[dict[str, Any], str]:
    """Return what it writes, and what it prints."""
    figures = folder / "figures.json"
    only = [word for name in names for word in ("--only", name)]
    done = subprocess.run(
        [*PYTHON, "ops.launcher", "bench", "--quick", "--json", str(figures), *only],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(figures.read_text()), done.stdout


def test_it_reports_rates_and_latencies_beside_the_floors_as_a_table_and_as_json(tmp_path: Path) -> None:
    found, printed = bench(tmp_path, *MEASURED, "feed")

    measured = found["rows"]
    rows = [row for row in measured if not row["name"].startswith("feed-")]
    expected = {(name, connections) for name in MEASURED for connections in (1, 32)} - {("rebuild", 32)}
    assert {(row["name"], row["connections"]) for row in rows} == expected
    for row in rows:
        subject, floor = row["subject"], row["floor"]
        assert subject["answers"] > 0
        assert (subject["errors"], subject["missed"]) == (0, 0)
        assert subject["rate"] > 0
        assert (row["met"] is None) == (row["aim"] == "")
        if row["name"] not in {"visible", "rebuild"}:
            assert floor["answers"] > 0
            assert row["ratio"] > 0
        if row["name"] != "rebuild":
            assert 0 < subject["p50"] <= subject["p99"]

    heading, rule, *lines = printed.splitlines()
    assert heading.split()[0] == "what"
    assert {len(rule), len(heading)} == {len(rule)}
    assert [line.split()[0] for line in lines[: len(measured)]] == [row["name"] for row in measured]

    catch_up, visible, idle = (row for row in measured if row["name"].startswith("feed-"))
    assert catch_up["subject"]["answers"] == catch_up["floor"]["answers"] >= 1_000
    assert catch_up["subject"]["errors"] == 0
    assert visible["subject"]["answers"] == 3
    assert idle["subject"]["answers"] == idle["connections"] == 20


def test_costs_are_reported_by_process_beside_the_least_of_answers(tmp_path: Path) -> None:
    found, printed = bench(tmp_path, "cost")
    costs = found["costs"]
    assert [cost["connections"] for cost in costs] == [1, 32] * (len(costs) // 2)
    assert {"read one", "list of 10,000: 304", "create", "update"} <= {cost["name"] for cost in costs}
    for cost in costs:
        assert cost["requests"] > 0
        assert cost["errors"] == 0
        assert list(cost["milliseconds"]) == [*PARTS]
    heading, rule, *lines = printed.splitlines()
    assert heading.startswith("ms of processor time")
    assert len(rule) == len(heading)
    assert len(lines) == len(costs)


def test_what_sealing_costs_is_reported_beside_an_instance_that_seals_nothing(tmp_path: Path) -> None:
    found, printed = bench(tmp_path, "sealing")
    costs, rows = found["costs"], found["rows"]
    assert {cost["name"] for cost in costs} == {"read one", "update", "create"}
    *requests, drivers, revisions, refill = rows
    assert len(requests) == len(costs) == 6
    for cost in costs:
        assert cost["errors"] == 0
        assert len(cost["ratios"]) == 1
    for row in rows:
        assert row["subject"]["answers"] > 0
        assert row["floor"]["answers"] > 0
        assert row["ratio"] > 0
    assert drivers["subject"]["answers"] == revisions["subject"]["answers"] >= 1_000
    assert refill["subject"]["answers"] >= 100
    assert "times as much" in refill["note"]
    assert "in the clear" in printed.splitlines()[0]


def test_auditors_questions_are_measured_on_a_short_log_and_on_a_long_one(tmp_path: Path) -> None:
    found, _ = bench(tmp_path, "audit")

    rows = found["rows"]
    asked = {row["name"].rpartition("-")[0] for row in rows}
    assert asked >= {"history", "as-of", "list-as-of", "audit-entity", "audit-q", "export-csv", "verify"}
    lengths = {row["name"].rpartition("-")[2] for row in rows}
    assert len(lengths) == 2
    assert len({row["name"] for row in rows}) == len(asked) * len(lengths)
    for row in rows:
        assert row["subject"]["answers"] > 0
        assert row["subject"]["errors"] == 0
        assert row["floor"]["answers"] > 0
        assert row["ratio"] > 0
    notes = {row["name"].rpartition("-")[0]: row["note"] for row in rows if row["note"]}
    assert "memory" in notes["export-csv"]
    assert "sealed" in notes["verify"]


def test_it_has_a_name_for_everything_that_can_be_asked_for() -> None:
    assert set(MEASURED) <= set(NAMES)


def test_the_relay_is_measured_beside_a_bare_producer_or_says_why_it_is_not(tmp_path: Path) -> None:
    found, _ = bench(tmp_path, "relay")
    relay, latency = found["rows"]
    if "skipped" in relay["note"]:
        assert "Java" in relay["note"] or "Maven" in relay["note"]
        return
    assert relay["ratio"] > 0
    assert (latency["subject"]["answers"], latency["subject"]["errors"]) == (5, 0)
