"""Debian packages of programs that the tests need."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.messages import notify
from ops.launcher.paths import CACHE
from ops.launcher.programs import one_at_a_time, run_silently

APT_LOCK: Final = CACHE / "apt.lock"
"""Held while apt runs."""
_KAFKA_PROGRAMS: Final = {"java": "default-jre-headless", "mvn": "maven", "kcat": "kcat"}
"""Programs that the tests with Kafka and Keycloak need, and their Debian packages."""


def may_install_packages() -> bool:
    """Return whether this is root on a system with apt."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install_packages(*names: str) -> None:
    """Install packages, one call at a time."""
    with one_at_a_time(APT_LOCK):
        run_apt(["apt-get", "-qq", "update"])
        run_apt(["apt-get", "-qq", "install", "--yes", "--no-install-recommends", *names])


def run_apt(command: Sequence[str], *, cwd: str | None = None) -> None:
    """Run a Debian tool without prompts."""
    words = [word for word in command if not word.startswith("-")]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    failed = f"{' '.join(words[:2])} failed"
    run_silently(command, failed, environment=environment, cwd=cwd, stdin=subprocess.DEVNULL)


def try_to_install_kafka_tools() -> None:
    """Install missing programs if allowed; without them the tests with Kafka and Keycloak are skipped."""
    missing = [package for program, package in _KAFKA_PROGRAMS.items() if shutil.which(program) is None]
    if not missing or not may_install_packages():
        return
    notify(f"installing for the tests with Kafka and Keycloak: {', '.join(missing)} (Debian's packages)")
    try:
        install_packages(*missing)
    except LauncherError as error:
        notify(f"the tests that need them are skipped: {error}")
