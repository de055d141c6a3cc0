"""The test suites of `./fleetlog test`."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ops.development.chromium import find_or_install_chromium
from ops.development.debian import try_to_install_kafka_tools
from ops.development.temporary import temporary_instance
from ops.launcher.bootstrap import PACKAGES
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.frontend.build import ensure_built, ensure_installed
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import FRONTEND, PROJECT, PYTHON

PYTHON_TESTS = (
    *(f"{package}/tests" for package in PACKAGES if (PROJECT / package / "tests").is_dir()),
    "ops/tests",
)
"""Folders of all Python tests, relative to the project folder; the last has tests of the complete product."""

SPLIT_TESTS = ("ops/tests/topology", "ops/tests/product/test_model.py")
"""Tests of `./fleetlog test` on the split topology; `soak topology` runs all tests that support it."""


def run_pytest(arguments: list[str], environment: Mapping[str, str] | None = None) -> int:
    """Run pytest in the project folder with additional variables, and return its exit status."""
    return _status_of([*PYTHON, "pytest", *arguments], PROJECT, {**os.environ, **(environment or {})})


def run_python_suite(*folders: str) -> bool:
    """Run the tests of folders, relative to the project folder, and return whether they passed."""
    try_to_install_kafka_tools()
    return run_pytest([*folders, "-m", "not soak and not split", "--durations=10"]) == 0


def run_split_suite() -> bool:
    """Run tests of the product on the services of `compose.yaml`, and return whether they passed."""
    try_to_install_kafka_tools()
    find_or_install_chromium()
    frontend = ensure_built()
    environment = {"FLEETLOG_TOPOLOGY": "split", FRONTEND_SETTING: str(frontend)}
    return run_pytest([*SPLIT_TESTS, "-m", "not soak"], environment) == 0


def run_frontend_suite() -> bool:
    """Run the frontend's unit tests, and return whether they passed."""
    ensure_installed()
    return _npm_passes("test")


def run_e2e_suite(*arguments: str) -> bool:
    """Run the browser tests on a new instance with arguments of Playwright; return whether they passed."""
    chromium = find_or_install_chromium()
    ensure_built()
    with temporary_instance() as (data, port):
        address, browser = f"http://localhost:{port}", str(chromium or "")
        settings = {"BASE_URL": address, "CHROMIUM_PATH": browser, "FLEETLOG_DATA": str(data.path)}
        return _npm_passes("e2e", *arguments, environment=settings)


SUITES: Mapping[str, Callable[[], bool]] = {
    "projections": partial(run_python_suite, "projections/tests"),
    "product": partial(run_python_suite, "ops/tests/product"),
    "ops": partial(
        run_python_suite,
        *("ops/base/tests", "ops/tamper-evidence/tests", "ops/development/tests"),
        *("ops/tests/alerts", "ops/tests/growth", "ops/tests/kubernetes", "ops/tests/verifier"),
    ),
    "query-api": partial(run_python_suite, "query-api/tests"),
    "e2e": run_e2e_suite,
    "launcher": partial(run_python_suite, "ops/launcher/tests", "ops/tests/sign_in"),
    "split": run_split_suite,
    "command-api": partial(run_python_suite, "command-api/tests"),
    "frontend": run_frontend_suite,
}
"""The longest first, so that concurrent suites end at about the same time."""


def run_selected(test: str, options: Sequence[str]) -> bool:
    """Run the tests of one file or folder with its prerequisites, and return whether they passed.

    Args:
        test: a path relative to the project folder, with an optional `::NAME` of one test.
        options: options of the runner: Playwright in `frontend/e2e`, Vitest in `frontend`, else pytest.
    """
    path, _, name = test.partition("::")
    place = (PROJECT / path).resolve().relative_to(PROJECT)
    if place.parts[0] == FRONTEND.name:
        is_e2e = place.parts[1] == "e2e"
        only = ["-g" if is_e2e else "-t", name] if name else []
        arguments = [str(place.relative_to(FRONTEND.name)), *only, *options]
        if is_e2e:
            return run_e2e_suite(*arguments)
        ensure_installed()
        return _npm_passes("test", *arguments)
    kind = [] if "-m" in options else ["-m", "not soak and not split"]
    return run_pytest([test, *kind, *options]) == 0


def _npm_passes(script: str, *arguments: str, environment: Mapping[str, str] | None = None) -> bool:
    command = npm_command("run", script, *(["--", *arguments] if arguments else []))
    return _status_of(command, FRONTEND, npm_environment(environment)) == 0


def _status_of(command: list[str], folder: Path, environment: Mapping[str, str]) -> int:
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode
