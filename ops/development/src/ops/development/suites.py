"""The test suites: what `./fleetlog test` runs, each with its own runner."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ops.development.chromium import find_or_install_chromium
from ops.development.debian import try_to_install_kafka_tools
from ops.development.lanes import run_shown, say
from ops.launcher.bootstrap import PACKAGES
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.frontend.build import ensure_built, ensure_installed
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import FRONTEND, PROJECT, PYTHON
from ops.launcher.processes.ports import free_port

PYTHON_TESTS = (
    *(f"{package}/tests" for package in PACKAGES if (PROJECT / package / "tests").is_dir()),
    "ops/tests",
)
"""Folders of all tests in Python, relative to the project folder; the last has those of the whole product."""

SPLIT_TESTS = (
    "ops/tests/topology",
    "ops/tests/product/test_model.py",
    "ops/tests/product/test_read_your_writes.py",
)
"""What `./fleetlog test` runs on the split topology; `soak topology` runs all that can be run there."""


def run_pytest(arguments: list[str], environment: Mapping[str, str] | None = None) -> int:
    """Run pytest in the project folder and return its exit status.

    Args:
        arguments: its own.
        environment: further variables.
    """
    return run_shown(
        [*PYTHON, "pytest", *arguments], cwd=PROJECT, environment={**os.environ, **(environment or {})}
    )


def run_python_suite(*folders: str) -> bool:
    """Run the tests of some folders, relative to the project folder, and return whether they passed."""
    try_to_install_kafka_tools(say)
    return run_pytest([*folders, "-m", "not soak and not split", "--durations=10"]) == 0


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


def run_e2e_suite(*arguments: str) -> bool:
    """Run the tests in the browser against a whole instance on a new data folder; see `run_python_suite`.

    Args:
        arguments: Playwright's.
    """
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
            return _npm_passes("e2e", *arguments, environment=settings)
        finally:
            _launcher("down", *where)


SUITES: Mapping[str, Callable[[], bool]] = {
    "projections": partial(run_python_suite, "projections/tests"),
    "e2e": run_e2e_suite,
    "ops": partial(
        run_python_suite,
        *("ops/base/tests", "ops/tamper-evidence/tests", "ops/development/tests"),
        *("ops/tests/alerts", "ops/tests/growth", "ops/tests/kubernetes"),
    ),
    "launcher": partial(run_python_suite, "ops/launcher/tests"),
    "product": partial(run_python_suite, "ops/tests/product"),
    "query-api": partial(run_python_suite, "query-api/tests"),
    "split": run_split_suite,
    "frontend": run_frontend_suite,
    "command-api": partial(run_python_suite, "command-api/tests"),
}
"""The longest first: some at a time, sharing nothing but the machine, they end at about the same time."""


def _launcher(*arguments: str) -> int:
    return run_shown([*PYTHON, "ops.launcher", *arguments])


def run_selected(test: str, options: Sequence[str]) -> bool:
    """Run the tests of one file or folder with everything they need, and return whether they passed.

    Args:
        test: a path relative to the project folder, with an optional `::NAME` of one test in it.
        options: of the runner: Playwright in `frontend/e2e`, Vitest elsewhere in `frontend`, else pytest.
    """
    path, _, name = test.partition("::")
    place = Path(path)
    if place.parts[0] == FRONTEND.name:
        is_e2e = place.parts[1] == "e2e"
        only = ["-g" if is_e2e else "-t", name] if name else []
        arguments = [str(place.relative_to(FRONTEND.name)), *only, *options]
        if is_e2e:
            return run_e2e_suite(*arguments)
        ensure_installed(say)
        return _npm_passes("test", *arguments)
    kind = [] if "-m" in options else ["-m", "not soak and not split"]
    return run_pytest([test, *kind, *options]) == 0


def _npm_passes(script: str, *arguments: str, environment: Mapping[str, str] | None = None) -> bool:
    command = npm_command("run", script, *(["--", *arguments] if arguments else []))
    return run_shown(command, cwd=FRONTEND, environment=npm_environment(environment)) == 0
