"""The handbooks' commands for one machine, listed in `ops.testing.handbooks`, work as described."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from ops.launcher.backups.acceptance import newest_seal
from ops.launcher.backups.folder import BackupFolder
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.paths import PYTHON
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.handbooks import RUN, block, prepare_workplace
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, sign_in
from ops.testing.product.exchanges import PATHS
from ops.testing.sealed_logs import last_note
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration
ADDRESS: Final = "http://localhost:8080"
PAGES: Final = RUN["ops/tests/product"]
PRINTS: Final = {
    "README.md": [r"HTTP/1.1 201 .*HTTP/1.1 200 .*HTTP/1.1 204 ", r'"content":\[.*"page":'],
    "ops/docs/analysts.md": [r"FLEETLOG_TOKEN=ey"],
    "ops/docs/auditors.md": [r"TOKEN=ey|Proven: these are all events"],
    "ops/docs/growing.md": [],
    "ops/docs/permissions.md": [r"Signed out: auth0\|5f7c.*Signed out: the session 6d2f"],
    "ops/docs/programs.md": [r"HTTP/1.1 200 .*Prima 4940|(?:horse.details_changed.v2 .*){2}"],
    "ops/docs/tamper-evidence.md": [r"match their seals.*match their seals", "Proven: "],
}
"""Patterns of the output, by page."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """The current folder of the commands."""
    with open_folder() as folder:
        prepare_workplace(folder)
        yield folder


@pytest.mark.parametrize(("page", "begins"), [each for each in PAGES if each[0] != "ops/docs/backups.md"])
def test_commands_of_a_page_work(stack: Stack, folder: Path, page: str, begins: str) -> None:
    with Client(stack) as client:
        staff, usual = sign_in(stack, "staff"), usual_body("horse").sent
        horse = client.request("POST", PATHS["horse"], actor=staff, json=usual).raise_for_status()
        driver = {"id": "EMP-001", **usual_body("driver").sent}
        written = client.request("POST", PATHS["driver"], actor=staff, json=driver)
    assert written.status_code in (201, 409)  # by an earlier test
    position = int(horse.headers["fleetlog-position"].rpartition(":")[2])
    data = DataFolder(stack.data)
    wait_for(lambda: newest_seal(data.seals) >= position)
    shutil.copy(data.audit / "public-key", folder)
    (folder / "kept.note").write_text(last_note(data.seals), "utf-8")
    printed = block(page, begins).run(
        folder,
        {
            ADDRESS: stack.address,
            "horses/HRS-…": horse.headers["location"].removeprefix("/api/v1/"),
            "'{…}'": f"'{json.dumps({**usual, 'identifier': 'Changed'})}'",
        },
        without=["docker "],
        HANDBOOK_DATA=str(stack.data),
    )
    for expected in PRINTS[page]:
        assert re.search(expected, printed, re.DOTALL), printed


def test_handbook_commands_back_up_and_restore_an_instance(folder: Path) -> None:
    stack, new = Stack(folder), folder / "new"
    old = stack.data
    places = {
        "./fleetlog up ": f"./fleetlog up --detach --port {stack.port} ",
        "/mnt/": f"{folder}/",
        "/elsewhere": f"{folder}/elsewhere",
        "--metrics FOLDER": f"--metrics {folder}",
    }
    environment = {
        "HANDBOOK_DATA": str(old),
        "FLEETLOG_SEAL_SECONDS": "1",
        FRONTEND_SETTING: str(folder / "frontend"),
    }
    backing_up, restoring = (block("ops/docs/backups.md", f"./fleetlog {name}") for name in ("up", "down"))
    try:
        backing_up.run(folder, places, without=["./fleetlog backup"], **environment)
        with Client(stack) as client:
            body = usual_body("horse").sent
            client.request(
                "POST", PATHS["horse"], actor=sign_in(stack, "staff"), json=body
            ).raise_for_status()
        wait_for(lambda: newest_seal(DataFolder(old).seals))
        backing_up.run(folder, places, without=["./fleetlog up"], **environment)
        first, _ = BackupFolder(folder / "backups").backups()
        assert len(list(folder.glob("keys/keys-*Z.sqlite"))) == 1
        assert len(BackupFolder(folder / "elsewhere").backups()) == 1
        assert (folder / "fleetlog-backup.prom").exists()
        to_moment = (
            f"--data {folder}/another --keys {old}/keys --to-moment {first.manifest.finished.isoformat()}"
        )
        printed = restoring.run(
            folder,
            {
                **places,
                "--data NEW --keys OLD/keys --to-moment 2026-11-22T02:55:00Z": to_moment,
                "OLD/keys": f"{old}/keys",
                "./fleetlog status --data NEW ;": f"./fleetlog status --data {new} || true ;",
                "NEW": str(new),
            },
            **environment,
        )
    finally:
        for data in (old, new):
            subprocess.run([*PYTHON, "ops.launcher", "down", "--data", str(data)], check=False)
    assert "Accepted: the log" in printed
    assert "WARNING" not in printed
