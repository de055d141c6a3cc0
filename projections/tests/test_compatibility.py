"""Compatibility of derived schemas with released ones, and `projections schemas`."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import event_classes
from projections import __main__ as command_line
from projections.commands import schemas as command
from projections.public_schemas import derivation
from projections.public_schemas.compatibility import Difference, differences, incompatibilities
from projections.public_schemas.derivation import derived_schemas
from read_model.public_events.schemas import RELEASED, released_schemas

TRAILER = "fleetlog.trailer.registered.v2"


def edited(name: str = TRAILER) -> dict[str, Any]:
    """A copy of a released schema, to be changed."""
    return copy.deepcopy(dict(released_schemas()[name]))


def test_derived_schemas_match_the_released_schemas() -> None:
    """If not: `./fleetlog projections schemas`, and the README of `public_schemas` says what to do."""
    assert differences(released_schemas(), derived_schemas()) == []


DETAILS = ("properties", "details")
INCOMPATIBLE: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any]], Any]]] = {
    "removed member": ((*DETAILS, "properties"), lambda members: members.pop("status")),
    "renamed member": (
        (*DETAILS, "properties"),
        lambda members: members.update(condition=members.pop("status")),
    ),
    "new required member": (
        DETAILS,
        lambda one: (one["properties"].update(depot={}), one["required"].append("depot")),
    ),
    "optional member": ((), lambda one: one["required"].remove("actor")),
    "additional type": ((*DETAILS, "properties", "status"), lambda one: one.update(type=["string", "array"])),
    "other type": (("properties", "version"), lambda one: one.update(type="number")),
    "other bound": (("properties", "version"), lambda one: one.update(minimum=0)),
    "missing bound": (("properties", "version"), lambda one: one.pop("minimum")),
    "other item": (("properties", "masked", "items"), lambda one: one.update(pattern="^x$")),
    "new keyword": (("properties", "id"), lambda one: one.update({"not": {"const": "x"}})),
    "open object": (DETAILS, lambda one: one.pop("additionalProperties")),
}
COMPATIBLE: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any]], Any]]] = {
    "new optional member": ((*DETAILS, "properties"), lambda members: members.update(depot={"type": "null"})),
    "other texts": (("properties", "id"), lambda one: one.update(title="x", description="y")),
    "other order": ((), lambda one: one["required"].reverse()),
}


def with_edit(path: tuple[str, ...], edit: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    schema = place = edited()
    for name in path:
        place = place[name]
    edit(place)
    return schema


@pytest.mark.parametrize("change", INCOMPATIBLE)
def test_incompatible_changes_are_refused(change: str) -> None:
    assert incompatibilities(released_schemas()[TRAILER], with_edit(*INCOMPATIBLE[change]))


@pytest.mark.parametrize("change", COMPATIBLE)
def test_compatible_changes_are_accepted(change: str) -> None:
    derived = with_edit(*COMPATIBLE[change])
    found = differences({TRAILER: released_schemas()[TRAILER]}, {TRAILER: derived})
    assert found == [Difference(TRAILER, "compatible")]


def test_reason_names_the_json_pointer() -> None:
    schema = edited("fleetlog.location.details_changed.v2")
    kinds = schema["properties"]["changes"]["properties"]["location_type"]["properties"]["to"]["enum"]
    kinds.append("PORT")
    del schema["properties"]["changes"]["properties"]["location_type"]["properties"]["from"]
    schema["required"].remove("masked")
    assert incompatibilities(released_schemas()["fleetlog.location.details_changed.v2"], schema) == [
        "/properties/changes/properties/location_type/properties/from: gone",
        "/properties/changes/properties/location_type/properties/to/enum: changed",
        "/required: masked may be missing now",
    ]


def test_new_member_of_an_open_object_is_refused() -> None:
    schema = edited()
    schema["properties"]["details"]["properties"]["data"]["properties"] = {"depot": {"type": "string"}}
    assert incompatibilities(released_schemas()[TRAILER], schema) == [
        "/properties/details/properties/data/properties/depot: could be anything until now"
    ]


def test_true_is_not_one() -> None:
    assert incompatibilities({"const": 1}, {"const": True}) == ["/const: changed"]
    assert incompatibilities({"enum": [1]}, {"enum": [True]}) == ["/enum: changed"]


def kinds_of(entity: str) -> list[str]:
    return [event_class.kind for event_class in event_classes(entity)]


def test_derived_schemas_of_a_new_version_are_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivation, "VERSION", 3)
    found = differences(released_schemas(), derived_schemas())
    assert found == [
        Difference(f"fleetlog.{entity}.{kind}.v3", "new")
        for entity in DEFINITIONS
        for kind in kinds_of(entity)
    ]
    schema = derived_schemas()["fleetlog.driver.registered.v3"]
    assert schema["properties"]["schema_version"]["const"] == 3


def test_additional_version_is_new() -> None:
    derived = {"a.v2": edited()}
    assert differences({"a.v1": {"type": "object"}}, derived) == [Difference("a.v2", "new")]


@pytest.mark.parametrize("derived", [{}, {"a.v1": {}}, {"b.v2": {}}])
def test_removing_a_released_type_is_refused(derived: dict[str, Any]) -> None:
    found = differences({"a.v2": {}}, derived)
    assert [(one.type, one.kind) for one in found if one.kind == "incompatible"] == [("a.v2", "incompatible")]


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
    assert capsys.readouterr().out == f"{len(contents(released))} released schemas; nothing differs\n"


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
