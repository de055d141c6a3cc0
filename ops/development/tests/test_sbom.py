"""`./fleetlog sbom`: the documents hold what the locks hold."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from ops.development.commands.lock import LOCK, QUERY_API, SERVICES, lock_of
from ops.development.sbom import IMAGES, base_component, read_image
from ops.launcher.cli import main
from ops.launcher.paths import FRONTEND, PROJECT
from ops.testing.split.compose import COMPOSE_FILE

LOCKS = {
    "query-api": ["query-api"],
    "services": ["services"],
    "operations": ["services"],
    "backups": ["services", "backups"],
    "edge": ["edge"],
    "gateway": ["gateway"],
    "development": ["services", "development"],
}
OWN = {
    "query-api": [*QUERY_API],
    "services": [*SERVICES],
    "operations": [*SERVICES, "ops/launcher"],
    "backups": [*SERVICES, "ops/launcher"],
    "edge": [],
    "gateway": ["ops/base", "ops/launcher"],
    "development": [*SERVICES, "ops/launcher", "ops/development"],
}
Component = dict[str, Any]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sbom")
    assert main(["sbom", str(folder)]) == 0
    return folder


def components(file: Path) -> list[Component]:
    listed: list[Component] = json.loads(file.read_text())["components"]
    return listed


def locked_packages(lock: str) -> dict[str, list[str]]:
    """Package URL → hashes of what a lock installs on Linux, read independently of the code under test."""
    found: dict[str, list[str]] = {}
    for block in re.split(r"\n(?=\w)", (PROJECT / lock_of(lock)).read_text())[1:]:
        name, version = block.split()[0].split("==")
        if "sys_platform == 'win32'" not in block:
            found[f"pkg:pypi/{name}@{version}"] = sorted(re.findall(r"sha256:(\w+)", block))
    return found


def npm_packages() -> dict[str, Component]:
    """Package URL → entry of package-lock.json."""
    packages = json.loads((FRONTEND / "package-lock.json").read_text())["packages"]
    return {
        f"pkg:npm/{path.rpartition('node_modules/')[2].replace('@', '%40')}@{entry['version']}": entry
        for path, entry in packages.items()
        if path
    }


def test_every_image_that_compose_builds_has_a_document(written: Path) -> None:
    targets = set(re.findall(r"target: ([\w-]+)", COMPOSE_FILE.read_text()))
    assert targets == set(IMAGES) == set(LOCKS)
    assert {file.name for file in written.iterdir()} == {f"{name}.cdx.json" for name in (*IMAGES, "frontend")}


@pytest.mark.parametrize("image", IMAGES)
def test_an_images_document_equals_its_locks_distributions_and_base_image(image: str, written: Path) -> None:
    parts = components(written / f"{image}.cdx.json")
    listed = {
        part["purl"]: sorted(entry["content"] for entry in part["externalReferences"][0]["hashes"])
        for part in parts
        if part.get("purl", "").startswith("pkg:pypi/") and part["scope"] == "required"
    }
    expected: dict[str, list[str]] = {}
    for lock in LOCKS[image]:
        expected |= locked_packages(lock)
    assert listed == expected
    own = {part["name"] for part in parts if "purl" not in part}
    assert own == {f"fleetlog-{Path(folder).name}" for folder in OWN[image]}
    bases = [part["purl"] for part in parts if part["type"] == "container"]
    assert bases == [str(base_component(read_image(image).base).purl)]
    build_tools = {*locked_packages("build")} if OWN[image] else set()
    assert {part["purl"] for part in parts if part.get("scope") == "excluded"} == build_tools


def test_the_frontends_document_equals_its_lock(written: Path) -> None:
    listed = {
        part["purl"]: part["hashes"][0]["content"] for part in components(written / "frontend.cdx.json")
    }
    assert listed == {
        purl: base64.b64decode(entry["integrity"].removeprefix("sha512-")).hex()
        for purl, entry in npm_packages().items()
    }


def test_the_gateways_document_lists_what_the_built_frontend_contains(written: Path) -> None:
    npm = {
        part["purl"] for part in components(written / "gateway.cdx.json") if "pkg:npm" in part.get("purl", "")
    }
    shipped = {
        purl
        for purl, entry in npm_packages().items()
        if not entry.keys() & {"dev", "devOptional", "optional", "peer"}
    }
    own = {purl for purl in npm if purl.startswith("pkg:npm/fleetlog-frontend@")}
    assert len(own) == 1
    assert npm - own == shipped


@pytest.mark.parametrize("name", [*IMAGES, "frontend"])
def test_a_document_is_valid_and_names_no_registry(name: str, written: Path) -> None:
    text = (written / f"{name}.cdx.json").read_text()
    version = SchemaVersion.from_version(json.loads(text)["specVersion"])
    assert JsonStrictValidator(version).validate_str(text) is None
    (schema,) = re.findall(r"https?://[^\"]+", text)
    assert schema == json.loads(text)["$schema"]


def test_the_locks_name_no_registry() -> None:
    for lock in (PROJECT / LOCK, *(PROJECT / "ops/locks").iterdir()):
        assert "://" not in lock.read_text(), lock
    assert [purl for purl, entry in npm_packages().items() if "resolved" in entry] == []


def test_equal_locks_give_equal_documents(written: Path, sbom_documents: dict[str, str]) -> None:
    assert {f"{name}.cdx.json": text for name, text in sbom_documents.items()} == {
        file.name: file.read_text() for file in written.iterdir()
    }


@pytest.mark.parametrize(
    ("image", "purl"),
    [
        ("python:3.13.9@sha256:0a1b", "pkg:docker/python@3.13.9%40sha256:0a1b"),
        (
            "mirror.example:5000/base/python@sha256:0a1b",
            "pkg:docker/mirror.example:5000/base/python@sha256:0a1b",
        ),
    ],
)
def test_the_base_image_is_listed_as_it_is_set(
    image: str, purl: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEETLOG_PYTHON_IMAGE", image)
    assert {str(base_component(read_image(name).base).purl) for name in IMAGES} == {purl}
