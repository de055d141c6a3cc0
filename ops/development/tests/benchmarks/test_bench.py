"""`./fleetlog bench` with tiny counts: what it prints and writes, not what it measures."""

import json
import subprocess
from pathlib import Path

import pytest

from ops.launcher.paths import PYTHON

REQUESTS = ("read one", "list of 10,000: 304", "update", "create")


@pytest.mark.integration
def test_figures_are_printed_as_tables_and_written_as_json(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    only = [word for name in REQUESTS for word in ("--request", name)]
    done = subprocess.run(
        [*PYTHON, "ops.launcher", "bench", "--quick", "--json", str(figures), *only],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(figures.read_text())["rows"]

    both = [(name, connections) for name in REQUESTS for connections in (1, 32)]
    requests = rows[: len(both)]
    assert [(row["name"], row["connections"]) for row in requests] == both
    for row in requests:
        assert (row["errors"], row["stale"]) == (0, 0)
        assert row["answers"] > 0
        assert 0 < row["p50"] <= row["p99"]
        assert row["ratio"] > 0
        parts = {"command-api", "query-api", "projections", "notify", "postgres", "gateway"}
        assert set(row["milliseconds"]) == parts

    others = {row["name"]: row for row in rows[len(both) :]}
    assert list(others) == ["rebuild horses", "rebuild revisions", "growth"]
    assert all(row["answers"] > 0 and not row["errors"] for row in others.values())
    assert others["rebuild revisions"]["answers"] >= 1_000
    assert "the log" in others["growth"]["note"]

    rates, costs, *_ = done.stdout.split("\n\n")
    assert [len(table.splitlines()) for table in (rates, costs)] == [2 + len(rows), 2 + len(both)]
