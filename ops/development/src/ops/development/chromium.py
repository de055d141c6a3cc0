"""The browser for the end-to-end tests."""

import os
import shutil
import subprocess
from pathlib import Path

from ops.development.debian import install_packages, may_install_packages
from ops.launcher.errors import LauncherError
from ops.launcher.frontend.build import ensure_installed
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.messages import notify
from ops.launcher.paths import CACHE, FRONTEND
from ops.launcher.programs import named_program

SETTING = "FLEETLOG_CHROMIUM"
_HEADLESS = "chromium-headless-shell"
"""Playwright's own choice: it takes a third less processor time than a browser with windows."""
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_or_install_chromium() -> Path | None:
    """Return the browser's program, or None for Playwright's own download.

    The first of: the program that FLEETLOG_CHROMIUM names; the headless shell, then a browser, each from PATH
    or, as root on Debian, from its package; Playwright's download.
    """
    if (named := named_program(SETTING)) is not None:
        return named
    installed = (
        _on_path(_HEADLESS)
        or _install_package(_HEADLESS)
        or _on_path(*_PROGRAMS)
        or _install_package(_PROGRAMS[0])
    )
    if installed is None:
        notify("installing Chromium (Playwright's download)")
        _install_with_playwright()
    return installed


def _on_path(*programs: str) -> Path | None:
    return next((Path(found) for name in programs if (found := shutil.which(name))), None)


def _install_package(name: str) -> Path | None:
    if not may_install_packages():
        return None
    notify(f"installing {name} (Debian's package)")
    try:
        install_packages(name)
    except LauncherError as error:
        notify(f"{name} cannot be installed: {error}")
    return _on_path(name)


def _install_with_playwright() -> None:
    ensure_installed()
    os.environ.setdefault("PLAYWRIGHT_BROWSERS_PATH", str(CACHE / "browsers"))
    command = npm_command("exec", "--no", "--", "playwright-core", "install", "chromium")
    if subprocess.run(command, cwd=FRONTEND, env=npm_environment(), check=False).returncode != 0:
        raise LauncherError(f"Chromium is missing and cannot be installed; set {SETTING} to its program")
