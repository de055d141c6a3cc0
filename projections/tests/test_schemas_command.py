"""`projections schemas` reports differences and refuses incompatible releases."""

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from projections import __main__ as command_line
from projections.commands import schemas as command
from read_model.public_events.schemas import RELEASED

HORSE = "fleetlog.horse.registered.v2"


@pytest.fixture
def released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the released schemas."""
    folder = tmp_path / "released"
    copytree(RELEASED, folder)
    monkeypatch.setattr(command, "RELEASED", folder)
    monkeypatch.setattr(
        command,
        "released_schemas",
        lambda: {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")},
    )
    return folder


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_schemas_command_needs_no_instance(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["schemas"]) == 0
    assert capsys.readouterr().out == "36 released schemas; nothing differs\n"


def test_new_and_compatible_schemas_are_reported_and_released(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(released)
    (released / f"{HORSE}.json").unlink()
    edit(released / "fleetlog.horse.removed.v2.json", title="as it was")
    assert command_line.main(["schemas"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{HORSE}: new",
        "fleetlog.horse.removed.v2: compatible",
        "Not released; `schemas --release` releases new and compatible schemas",
    ]
    assert command_line.main(["schemas", "--release"]) == 0
    assert contents(released) == before


def test_incompatible_schema_prevents_the_release(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (released / f"{HORSE}.json").unlink()
    edit(released / "fleetlog.horse.removed.v2.json", required=["id"])
    before = contents(released)
    assert command_line.main(["schemas", "--release"]) == 1
    assert "  /required: actor could be missing until now" in capsys.readouterr().out.splitlines()
    assert contents(released) == before
