"""Creation of the virtual environment `.venv` from the hashed lock file; `./fleetlog` runs this file.

It uses only the standard library, because nothing is installed yet. A file lock, which the system releases
when its owner ends, admits one set-up per project folder. The stamp is written last, so that an interrupted
set-up is repeated.
"""

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_OPS = ("base", "tamper-evidence", "launcher", "development", "testing")
PACKAGES = (*(f"ops/{name}" for name in _OPS), "command-api", "read-model", "projections", "query-api")
"""Folders of the Python packages, relative to the project folder."""


class SetUpError(Exception):
    """A failed set-up, with a message for the user."""


def set_up(root: Path, wanted: str) -> None:
    """Create or update `.venv`.

    Raises:
        SetUpError: a requirement is missing, or a step failed.
    """
    cache = root / ".cache"
    try:
        cache.mkdir(exist_ok=True)
        lock = (cache / "set-up.lock").open("w")
    except OSError as error:
        raise SetUpError(f"cannot write to {root}: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _notify("another set-up of this folder is running; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        # Steps inherit the lock, so that the next set-up also waits for a step that outlives this process.
        os.set_inheritable(lock.fileno(), True)  # noqa: FBT003
        stamp = root / ".venv" / "set-up-stamp"
        if _text(stamp) != wanted:
            _install(root, stamp)
            stamp.write_text(wanted)


def _install(root: Path, stamp: Path) -> None:
    environment = root / ".venv"
    python = environment / "bin" / "python"
    # The stamp of a finished environment in this folder: only the packages need an update.
    finished_here = _text(stamp).startswith(f"{root} ") and python.exists()
    stamp.unlink(missing_ok=True)
    if not finished_here:
        _notify("setting up (once): the Python environment .venv")
        for module in ("venv", "ensurepip"):
            if importlib.util.find_spec(module) is None:
                raise SetUpError(
                    f"{sys.executable} has no module {module}; on Debian: apt-get install python3-venv"
                )
        shutil.rmtree(environment, ignore_errors=True)
        _run(sys.executable, "-m", "venv", environment)
        _notify("setting up (once): the installer")
        _install_uv(root, python)
    _notify("setting up (once): the packages in requirements.lock")
    uv: list[str | Path] = [environment / "bin" / "uv", "pip", "install", "--quiet", "--python", python]
    _run(*uv, "--require-hashes", "-r", root / "requirements.lock", cache=root / ".cache" / "uv")
    editables = [word for package in PACKAGES for word in ("-e", str(root / package))]
    _run(*uv, "--no-deps", *editables, cache=root / ".cache" / "uv")
    if sys.dont_write_bytecode:
        # Python then caches no compiled modules, and every process would take a second to import them.
        compiling = [str(python), "-m", "compileall", "-qq", "-j", "0", str(environment / "lib")]
        subprocess.run(compiling, close_fds=False, check=False)  # some vendored files do not compile


def _install_uv(root: Path, python: Path) -> None:
    """Install uv with pip, from the lines of the lock file that name uv and its hashes."""
    block: list[str] = []
    for line in (root / "requirements.lock").read_text().splitlines():
        if line.startswith("uv=="):
            block = [line]
        elif block and line.startswith(" "):
            block.append(line)
        elif block:
            break
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        requirements.write("\n".join(block))
        requirements.flush()
        quiet = ("--quiet", "--disable-pip-version-check", "--no-cache-dir")
        _run(python, "-m", "pip", "install", *quiet, "--require-hashes", "--no-deps", "-r", requirements.name)


def _run(*command: str | Path, cache: Path | None = None) -> None:
    # Caches stay in the project folder; an active virtual environment of the caller has no effect.
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    if cache is not None:
        environment.setdefault("UV_CACHE_DIR", str(cache))
        environment.setdefault("UV_NO_CONFIG", "1")
    done = subprocess.run([str(word) for word in command], env=environment, close_fds=False, check=False)
    if done.returncode != 0:
        raise SetUpError(f"setting up failed in: {' '.join(str(word) for word in command[:6])} …")


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _notify(message: str) -> None:
    print(f"fleetlog: {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        set_up(Path(sys.argv[1]), sys.argv[2])
    except SetUpError as error:
        _notify(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        _notify("set-up interrupted; the next run repeats it")
        sys.exit(130)
