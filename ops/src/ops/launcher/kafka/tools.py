"""What the Kafka tests need of the machine."""

import shutil
from collections.abc import Callable
from typing import Final

from ops.launcher.debian import install_packages, may_install_packages
from ops.launcher.errors import LauncherError

_PROGRAMS: Final = {"java": "default-jre-headless", "mvn": "maven", "kcat": "kcat"}
"""And Debian's packages that have them."""


def try_to_install_tools(say: Callable[[str], None]) -> None:
    """Install what is missing where we may; without it the tests of Kafka are skipped, and say why."""
    missing = [package for program, package in _PROGRAMS.items() if shutil.which(program) is None]
    if not missing or not may_install_packages():
        return
    say(f"installing for the Kafka tests: {', '.join(missing)} (Debian's packages)")
    try:
        install_packages(*missing)
    except LauncherError as error:
        say(f"the Kafka tests that need them are skipped: {error}")
