"""What each process loads: memory that it keeps for as long as it lives, and time of every start.

And what imports what, as far as the import rules of `pyproject.toml` have no words for it.
"""

import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter

import grimp
import pytest

from ops.launcher.bootstrap import PACKAGES
from ops.launcher.paths import PROJECT

CLIENTS = {"httpx", "urllib3", "kafka"}
SHOWING = {"rich", "pygments"}
NEEDLESS = {
    # The launcher does what takes these in errands.
    "ops.launcher.commands.up": {
        *("psycopg", "pydantic", "cryptography", "fastapi", "structlog", "uvicorn"),
        *(CLIENTS | SHOWING),
    },
    "command_api.app": {
        "psutil",
        "opentelemetry.sdk",
        *CLIENTS,
        *SHOWING,
    },
    "query_api.app": {
        "eventsourcing",
        "psutil",
        "opentelemetry.sdk",
        *CLIENTS,
        *SHOWING,
    },
    "projections.__main__, ops.base.http.server, projections.workers.process,"
    " projections.workers.sealing.settings": {
        *("jose", "psutil", "opentelemetry.sdk"),
        *(CLIENTS | SHOWING),
    },
    "ops.development.identity_provider.__main__": {"fastapi", "psycopg", "jose", *CLIENTS, *SHOWING},
}


@pytest.mark.parametrize("modules", NEEDLESS, ids=lambda modules: modules.split(".")[0])
def test_no_process_loads_what_it_does_not_need(modules: str) -> None:
    tell = f"import sys, {modules}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-P", "-c", tell], capture_output=True, text=True, check=True
    ).stdout.split()
    assert NEEDLESS[modules] & {*loaded} == set()


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Who imports whom, also within functions."""
    first, *others = (import_name(package) for package in PACKAGES)
    return grimp.build_graph(first, *others, exclude_type_checking_imports=True)


def import_name(package: str) -> str:
    return package.replace("/", ".").replace("-", "_")


def declared(package: str) -> set[str]:
    """The packages of ours that a package says it needs."""
    project = tomllib.loads((PROJECT / package / "pyproject.toml").read_text())["project"]
    return {word for word in project["dependencies"] if word.startswith("fleetlog-")}


def test_no_modules_import_each_other(graph: grimp.ImportGraph) -> None:
    TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    ).prepare()


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_declare_which_of_ours_they_import(graph: grimp.ImportGraph, package: str) -> None:
    imported = {
        f"fleetlog-{other.rpartition('/')[2]}"
        for other in {*PACKAGES} - {package}
        if graph.direct_import_exists(
            importer=import_name(package), imported=import_name(other), as_packages=True
        )
    }
    assert imported == declared(package)
