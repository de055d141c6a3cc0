"""`./fleetlog lock`: renew requirements.lock and ops/services.lock from the pyproject files."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.paths import CACHE, PROJECT

_PACKAGES = ("ops", "command-api", "projections", "query-api")
OLDEST_PYTHON = "3.11"
LOCK = "requirements.lock"
SERVICES_LOCK = "ops/services.lock"
"""Without what only tests, tools and the launcher need."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--upgrade", action="store_true", help="take the newest versions instead of keeping what fits"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the lock: one for all systems and all Pythons from the oldest on, with hashes."""
    upgrade = ["--upgrade"] if arguments.upgrade else []
    _compile(LOCK, "--all-extras", "--group", "pyproject.toml:dev", *upgrade)
    _compile(SERVICES_LOCK, "--constraint", LOCK)
    return 0


def _compile(lock: str, *more: str) -> None:
    command = [
        str(Path(sys.executable).with_name("uv")), "pip", "compile", "-q", "--universal",
        "--python-version", OLDEST_PYTHON, "--generate-hashes", "--no-annotate",
        "--custom-compile-command", "./fleetlog lock",
        *(word for name in _PACKAGES for word in ("--no-emit-package", f"fleetlog-{name}")),
        *(f"{name}/pyproject.toml" for name in _PACKAGES),
        "-o", lock,
        *more,
    ]  # fmt: skip
    environment = {"UV_CACHE_DIR": str(CACHE / "uv"), **os.environ}
    if subprocess.run(command, cwd=PROJECT, env=environment, check=False).returncode != 0:
        raise LauncherError(f"{lock} is as it was")
