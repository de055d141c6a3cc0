"""Modules that each process loads, which cost memory and start-up time, and imports between packages.

`pyproject.toml` has the other import rules.
"""

import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter

import grimp
import pytest

from ops.launcher.bootstrap import PACKAGES
from ops.launcher.paths import PROJECT

CLIENTS = {"httpx", "urllib3", "kafka", "google", "requests"}
"""HTTP clients, Kafka, and what exports spans (`google.protobuf`)."""
OF_TOOLS = {*CLIENTS, "rich", "pygments"}
OF_NO_SERVICE = {*OF_TOOLS, "psutil", "opentelemetry.sdk"}
NEEDLESS = {
    "ops.launcher.launch": {"fastapi", "uvicorn", *OF_TOOLS},
    "command_api.app": OF_NO_SERVICE,
    "query_api.app": {"command_api", "projections", "eventsourcing", *OF_NO_SERVICE},
    "projections.__main__, ops.base.http.server, projections.workers.process,"
    " projections.workers.sealing.settings": {"jose", *OF_NO_SERVICE},
    "ops.development.identity_provider.__main__": {"fastapi", "psycopg", "jose", "urllib3", "kafka"},
}


@pytest.mark.parametrize("modules", NEEDLESS, ids=lambda modules: modules.split(".")[0])
def test_no_process_loads_what_it_does_not_need(modules: str) -> None:
    program = f"import sys, {modules}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert NEEDLESS[modules] & {*loaded} == set()


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """The graph of imports, also within functions."""
    first, *others = (import_name(package) for package in PACKAGES)
    return grimp.build_graph(first, *others, exclude_type_checking_imports=True)


def import_name(package: str) -> str:
    return package.replace("/", ".").replace("-", "_")


def declared(package: str) -> set[str]:
    """Return the dependencies of a package on our packages."""
    project = tomllib.loads((PROJECT / package / "pyproject.toml").read_text())["project"]
    return {word for word in project["dependencies"] if word.startswith("fleetlog-")}


def test_no_modules_import_each_other(graph: grimp.ImportGraph) -> None:
    TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    ).prepare()


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_declare_their_imports_of_other_packages(graph: grimp.ImportGraph, package: str) -> None:
    imported = {
        f"fleetlog-{other.rpartition('/')[2]}"
        for other in {*PACKAGES} - {package}
        if graph.direct_import_exists(
            importer=import_name(package), imported=import_name(other), as_packages=True
        )
    }
    assert imported == declared(package)
