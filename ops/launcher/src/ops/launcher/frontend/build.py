"""Installation and build of the frontend, each only when its inputs have changed."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from ops.launcher.frontend.node import npm
from ops.launcher.messages import notify
from ops.launcher.paths import CACHE, FRONTEND, PROJECT
from ops.launcher.programs import one_at_a_time

SETTING = "FLEETLOG_FRONTEND_DIST"
_LOCK = CACHE / "frontend.lock"
_ALERTS = [PROJECT / "ops" / "alerts" / name for name in ("README.md", "fleetlog.rules.gen.yaml")]
"""Inputs of the screen with alerts."""
_SOURCES = ("src", "build", "public", "index.html", "package.json", "package-lock.json")


def ensure_built() -> Path:
    """Return the folder of the built frontend, after a build if its sources have changed.

    The variable FLEETLOG_FRONTEND_DIST names a folder that was built elsewhere.
    """
    named = os.environ.get(SETTING)
    if named:
        return Path(named).absolute()
    built = FRONTEND / "dist"
    with one_at_a_time(_LOCK):
        _install()
        stamp = CACHE / "frontend-build.stamp"
        configuration = [*FRONTEND.glob("*.config.*"), *FRONTEND.glob("tsconfig*.json")]
        wanted = _digest([*(FRONTEND / name for name in _SOURCES), *configuration, *_ALERTS])
        if not (built / "index.html").exists() or _text(stamp) != wanted:
            notify("building the frontend")
            stamp.unlink(missing_ok=True)
            npm("run", "build", purpose="building the frontend")
            stamp.write_text(wanted)
    return built


def ensure_installed() -> None:
    """Install the frontend's packages, if the lock file has changed."""
    with one_at_a_time(_LOCK):
        _install()


def _install() -> None:
    # npm ci removes this folder first, so that an interrupted installation has no stamp.
    stamp = FRONTEND / "node_modules" / ".fleetlog-stamp"
    wanted = _digest([FRONTEND / "package.json", FRONTEND / "package-lock.json"])
    if _text(stamp) != wanted:
        notify("installing the frontend's packages")
        npm("ci", purpose="installing the frontend's packages")
        stamp.write_text(wanted)


def _digest(paths: Iterable[Path]) -> str:
    """Return a digest of the names and contents of files, and of all files in folders."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for file in files:
            digest.update(f"{file.relative_to(PROJECT)}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""
