"""Debian's packages, for what tests need and the project cannot bring along."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.paths import CACHE

_COMMANDS: Final = (["update"], ["install", "--yes", "--no-install-recommends"])


def may_install_packages() -> bool:
    """Return whether we are root, and there is apt."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def may_unpack_packages() -> bool:
    """Return whether Debian's packages can be had without installing them: no rights are needed."""
    return shutil.which("apt-get") is not None and shutil.which("dpkg-deb") is not None


def unpack_package(name: str, folder: Path) -> None:
    """Download a package and unpack its files below a folder; nothing is installed.

    Raises:
        LauncherError: it cannot be had.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _one_at_a_time(), tempfile.TemporaryDirectory(dir=folder.parent) as download:
        try:
            _run(["apt-get", "-qq", "download", name], cwd=download)
        except LauncherError:
            if os.geteuid() != 0:
                raise
            _run(["apt-get", "-qq", "update"])  # a fresh machine knows no packages yet
            _run(["apt-get", "-qq", "download", name], cwd=download)
        (package,) = Path(download).glob("*.deb")
        _run(["dpkg-deb", "-x", str(package), str(folder)])


def install_packages(*names: str) -> None:
    """Install packages; two suites that ask for some at once wait for each other.

    Raises:
        LauncherError: apt failed.
    """
    with _one_at_a_time():
        for arguments in (_COMMANDS[0], [*_COMMANDS[1], *names]):
            _run(["apt-get", "-qq", *arguments])


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "apt.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(command: Sequence[str], *, cwd: str | None = None) -> None:
    done = subprocess.run(
        command,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        words = [word for word in command if not word.startswith("-")]
        raise LauncherError(f"{' '.join(words[:2])} failed: {lines[-1] if lines else 'no message'}")
