"""The test suites: what `./fleetlog test` runs, each with its own runner."""

import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from ops.launcher.frontend.build import ensure_built, ensure_installed
from ops.launcher.frontend.chromium import find_or_install_chromium
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import FRONTEND, PROJECT, PYTHON
from ops.launcher.processes.ports import free_port

PYTHON_SUITES = ("ops", "command-api", "projections", "query-api")
"""Folders of the Python packages, whose tests are in their `tests/`."""

_NO_TESTS_COLLECTED = 5


def say(line: str) -> None:
    """Tell the user a line, before what a runner prints next."""
    print(f"fleetlog: {line}", flush=True)


def python_test_folders() -> list[str]:
    """The folders with Python tests, relative to the project folder."""
    return [f"{name}/tests" for name in PYTHON_SUITES if (PROJECT / name / "tests").is_dir()]


def run_pytest(arguments: list[str]) -> int:
    """Run pytest in the project folder and return its exit status."""
    return subprocess.run([*PYTHON, "pytest", *arguments], cwd=PROJECT, check=False).returncode


def run_python_suite(name: str) -> bool | None:
    """Run one package's tests.

    Returns:
        Whether it passed, or None when there was nothing to run.
    """
    if f"{name}/tests" not in python_test_folders():
        return None
    status = run_pytest([f"{name}/tests", "-m", "not soak"])
    return None if status == _NO_TESTS_COLLECTED else status == 0


def run_frontend_suite() -> bool | None:
    """Run the frontend's unit tests; see `run_python_suite`."""
    if not (FRONTEND / "package.json").exists():
        return None
    ensure_installed(say)
    return _npm_passes("test")


def run_e2e_suite() -> bool | None:
    """Run the tests in the browser against a whole instance on a new data folder; see `run_python_suite`."""
    if not (FRONTEND / "package.json").exists():
        return None
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
            return _npm_passes(
                "e2e",
                {
                    "BASE_URL": f"http://localhost:{port}",
                    "CHROMIUM_PATH": str(chromium or ""),
                    "FLEETLOG_DATA": str(data),
                },
            )
        finally:
            _launcher("down", *where)


SUITES: Mapping[str, Callable[[], bool | None]] = {
    **{name: partial(run_python_suite, name) for name in PYTHON_SUITES},
    "frontend": run_frontend_suite,
    "e2e": run_e2e_suite,
}


def _launcher(*arguments: str) -> int:
    return subprocess.run([*PYTHON, "ops.launcher", *arguments], check=False).returncode


def _npm_passes(script: str, environment: Mapping[str, str] | None = None) -> bool:
    command = npm_command("run", script)
    return (
        subprocess.run(command, cwd=FRONTEND, env=npm_environment(environment), check=False).returncode == 0
    )
