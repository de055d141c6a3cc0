"""`./fleetlog doctor` with a running, a broken and a missing instance."""

import json
from pathlib import Path
from typing import Any

import pytest

from ops.launcher.cli import main
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import InstanceRecord, ProcessRecord
from ops.launcher.processes.ports import free_port
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

OF_THE_HOST = {"disk", "clock", "compose's secrets"}
"""Findings about the machine that runs the tests do not matter."""


def findings_in(output: str) -> dict[str, dict[str, Any]]:
    return {finding["check"]: finding for finding in json.loads(output)["findings"]}


def test_a_healthy_instance_has_no_findings(stack: Stack) -> None:
    done = stack.run("doctor", "--json", "--seconds", "60")
    found = findings_in(done.stdout)
    assert {name: one["what"] for name, one in found.items() if one["level"] != "well"}.keys() <= OF_THE_HOST
    assert done.returncode == (1 if any(one["level"] == "wrong" for one in found.values()) else 0)
    assert {*stack.record().processes} - {"postgres"} <= found.keys()
    assert {"database", "schema", "alerts", "seals", "sign-in", "leftovers", "files"} <= found.keys()


def test_doctor_works_without_an_instance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    main(["doctor", "--data", str(data), "--json", "--seconds", "60"])
    found = findings_in(capsys.readouterr().out)
    assert {name for name, one in found.items() if one["level"] != "well"} <= OF_THE_HOST
    assert not data.exists()  # nothing is changed


def test_faults_of_a_half_broken_instance_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    part = ProcessRecord(0, 0.0, "python", 1, f"{nowhere}/readyz", "restarting")
    provider = {"FLEETLOG_ISSUER": f"{nowhere}/", "FLEETLOG_JWKS_URL": f"{nowhere}/keys"}
    database = {"FLEETLOG_DATABASE": "host=127.0.0.1 port=1 user=nobody"}
    environments = {"query-api": provider | database, "projections": database}
    folder = DataFolder(tmp_path / "data").create()
    folder.lock()  # as a running launcher does
    try:
        parts = {"query-api": part, "gateway": part}
        InstanceRecord(address=nowhere, environments=environments, processes=parts, lost_lines=2).save(folder)
        assert main(["status", "--data", str(folder.path)]) == 1
        assert "\n2 log lines of the launcher could not be written\n" in capsys.readouterr().out
        assert main(["doctor", "--data", str(folder.path), "--json", "--seconds", "60"]) == 1
    finally:
        folder.unlock()
    found = findings_in(capsys.readouterr().out)
    assert {name for name, one in found.items() if one["level"] == "wrong"} - OF_THE_HOST == {
        "query-api", "gateway", "database", "sign-in",
    }  # fmt: skip
    assert found["query-api"]["commands"][0] == f"tail -n 20 {folder.logs}/query-api.log"
    assert found["leftovers"]["what"] == "2 log lines of the launcher could not be written"
