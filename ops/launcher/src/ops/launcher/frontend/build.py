"""Installs the frontend's packages and builds it, each only when what it is made from has changed."""

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from ops.launcher.frontend.node import npm
from ops.launcher.paths import CACHE, FRONTEND, PROJECT
from ops.launcher.programs import one_at_a_time

SETTING = "FLEETLOG_FRONTEND_DIST"
_LOCK = CACHE / "frontend.lock"
_ALERTS = [PROJECT / "ops" / "alerts" / name for name in ("README.md", "fleetlog.rules.yaml")]
"""Come with the screen that tells of alerts."""
_SOURCES = ("src", "build", "public", "index.html", "package.json", "package-lock.json")


def ensure_built(say: Callable[[str], None]) -> Path:
    """The folder of the built frontend; built now if its sources have changed.

    A setting names a folder that was built elsewhere.

    Raises:
        LauncherError: npm failed.
    """
    named = os.environ.get(SETTING)
    if named:
        return Path(named).absolute()
    built = FRONTEND / "dist"
    with one_at_a_time(_LOCK):
        _install(say)
        stamp = CACHE / "frontend-build.stamp"
        configuration = [*FRONTEND.glob("*.config.*"), *FRONTEND.glob("tsconfig*.json")]
        wanted = _digest([*(FRONTEND / name for name in _SOURCES), *configuration, *_ALERTS])
        if not (built / "index.html").exists() or _text(stamp) != wanted:
            say("building the frontend")
            stamp.unlink(missing_ok=True)
            npm("run", "build", purpose="building the frontend")
            stamp.write_text(wanted)
    return built


def ensure_installed(say: Callable[[str], None]) -> None:
    """Install the frontend's packages, if the lock has changed since.

    Raises:
        LauncherError: npm failed.
    """
    with one_at_a_time(_LOCK):
        _install(say)


def _install(say: Callable[[str], None]) -> None:
    # in the folder that npm ci removes first, so that an interrupted installation has no stamp
    stamp = FRONTEND / "node_modules" / ".fleetlog-stamp"
    wanted = _digest([FRONTEND / "package.json", FRONTEND / "package-lock.json"])
    if _text(stamp) != wanted:
        say("installing the frontend's packages")
        npm("ci", purpose="installing the frontend's packages")
        stamp.write_text(wanted)


def _digest(places: Iterable[Path]) -> str:
    """A digest of the names and contents of files, and of all files in folders."""
    digest = hashlib.sha256()
    for place in sorted(places):
        files = sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]
        for file in files:
            digest.update(f"{file.relative_to(PROJECT)}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""
