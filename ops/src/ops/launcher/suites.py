"""The test suites: what `./fleetlog test` runs, each with its own runner."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ops.launcher.debian import try_to_install_kafka_tools
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.frontend.build import ensure_built, ensure_installed
from ops.launcher.frontend.chromium import find_or_install_chromium
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.lanes import run_shown, say
from ops.launcher.paths import FRONTEND, PROJECT, PYTHON
from ops.launcher.processes.ports import free_port

PYTHON_SUITES = ("ops", "command-api", "projections", "query-api")
"""Folders of the Python packages, whose tests are in their `tests/`."""

PYTHON_TESTS = tuple(f"{name}/tests" for name in PYTHON_SUITES)
"""Their folders, relative to the project folder."""

SPLIT_TESTS = (
    "ops/tests/topology",
    "ops/tests/product/test_model.py",
    "ops/tests/product/test_read_your_writes.py",
)
"""What `./fleetlog test` runs on the split topology; `soak topology` runs all that can be run there."""

_LAUNCHER_TESTS = "ops/tests/launcher"
_PRODUCT_TESTS = "ops/tests/product"
_WITH_KAFKA = frozenset({"ops/tests", _LAUNCHER_TESTS, "projections/tests"})


def run_pytest(arguments: list[str], environment: Mapping[str, str] | None = None) -> int:
    """Run pytest in the project folder and return its exit status.

    Args:
        arguments: its own.
        environment: further variables.
    """
    return run_shown(
        [*PYTHON, "pytest", *arguments], cwd=PROJECT, environment={**os.environ, **(environment or {})}
    )


def run_python_suite(folder: str, *, ignored: Sequence[str] = ()) -> bool:
    """Run the tests of one folder, and return whether they passed.

    Args:
        folder: relative to the project folder.
        ignored: folders below it that are suites of their own.
    """
    if folder in _WITH_KAFKA:
        try_to_install_kafka_tools(say)
    without = [f"--ignore={one}" for one in ignored]
    return run_pytest([folder, *without, "-m", "not soak and not split", "--durations=10"]) == 0


def run_split_suite() -> bool:
    """Run some tests of the running product against the topology of `compose.yaml`; see `run_python_suite`.

    They are the same tests that the embedded topology passes, and those that only several of each can pass.
    """
    try_to_install_kafka_tools(say)
    find_or_install_chromium(say)
    frontend = ensure_built(say)
    environment = {"FLEETLOG_TOPOLOGY": "split", FRONTEND_SETTING: str(frontend)}
    return run_pytest([*SPLIT_TESTS, "-m", "not soak"], environment) == 0


def run_frontend_suite() -> bool:
    """Run the frontend's unit tests; see `run_python_suite`."""
    ensure_installed(say)
    return _npm_passes("test")


def run_e2e_suite() -> bool:
    """Run the tests in the browser against a whole instance on a new data folder; see `run_python_suite`."""
    chromium = find_or_install_chromium(say)
    ensure_built(say)
    with tempfile.TemporaryDirectory(prefix="fleetlog-e2e-") as folder:
        data = Path(folder) / "data"
        # PostgreSQL's user must pass through
        Path(folder).chmod(0o711)
        port = free_port()
        where = ["--data", str(data)]
        if _launcher("up", "--detach", "--port", str(port), *where) != 0:
            return False
        try:
            address, browser = f"http://localhost:{port}", str(chromium or "")
            settings = {"BASE_URL": address, "CHROMIUM_PATH": browser, "FLEETLOG_DATA": str(data)}
            return _npm_passes("e2e", settings)
        finally:
            _launcher("down", *where)


SUITES: Mapping[str, Callable[[], bool]] = {
    "e2e": run_e2e_suite,
    "launcher": partial(run_python_suite, _LAUNCHER_TESTS),
    "ops": partial(run_python_suite, "ops/tests", ignored=(_LAUNCHER_TESTS, _PRODUCT_TESTS)),
    "projections": partial(run_python_suite, "projections/tests"),
    "product": partial(run_python_suite, _PRODUCT_TESTS),
    "query-api": partial(run_python_suite, "query-api/tests"),
    "split": run_split_suite,
    "frontend": run_frontend_suite,
    "command-api": partial(run_python_suite, "command-api/tests"),
}
"""The longest first: some at a time, sharing nothing but the machine, they end at about the same time."""


def _launcher(*arguments: str) -> int:
    return run_shown([*PYTHON, "ops.launcher", *arguments])


def _npm_passes(script: str, environment: Mapping[str, str] | None = None) -> bool:
    return run_shown(npm_command("run", script), cwd=FRONTEND, environment=npm_environment(environment)) == 0
