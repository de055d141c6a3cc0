"""The browser for the end-to-end tests."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.frontend.build import ensure_installed
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import CACHE, FRONTEND

SETTING = "FLEETLOG_CHROMIUM"
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_or_install_chromium(say: Callable[[str], None]) -> Path | None:
    """The browser's program, or None for the one that Playwright keeps itself.

    The setting FLEETLOG_CHROMIUM names one. Otherwise one on PATH is taken; otherwise Debian's package is
    installed where we are root and there is apt; otherwise Playwright downloads its own into the project.

    Raises:
        LauncherError: there is none and none can be installed.
    """
    named = os.environ.get(SETTING)
    if named:
        found = shutil.which(named)
        if found is None:
            raise LauncherError(f"there is no program {named} ({SETTING})")
        return Path(found)
    installed = _on_path()
    if installed is None and os.geteuid() == 0 and shutil.which("apt-get"):
        say("installing Chromium (Debian's package)")
        _install_debian_package()
        installed = _on_path()
    if installed is None:
        say("installing Chromium (Playwright's download)")
        _install_with_playwright(say)
    return installed


def _on_path() -> Path | None:
    return next((Path(found) for name in _PROGRAMS if (found := shutil.which(name))), None)


def _install_debian_package() -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        done = subprocess.run(
            ["apt-get", "-qq", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines()
            raise LauncherError(f"apt-get {arguments[0]} failed: {lines[-1] if lines else 'no message'}")


def _install_with_playwright(say: Callable[[str], None]) -> None:
    ensure_installed(say)
    os.environ.setdefault("PLAYWRIGHT_BROWSERS_PATH", str(CACHE / "browsers"))
    command = npm_command("exec", "--no", "--", "playwright-core", "install", "chromium")
    if subprocess.run(command, cwd=FRONTEND, env=npm_environment(), check=False).returncode != 0:
        raise LauncherError(f"no Chromium was found and none could be installed; {SETTING} names one")
