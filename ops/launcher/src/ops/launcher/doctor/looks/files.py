"""Who may read and write what an instance keeps."""

import os
import shlex
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ops.base.settings import read_secret
from ops.launcher.doctor.findings import Findings, well, wrong

_OTHERS: Final = 0o077
_OTHERS_WRITE: Final = 0o022
_CLUSTER: Final = 0o027
"""PostgreSQL starts on nothing that is more open."""


def private_files(data: Path, private: Iterable[Path], cluster: Path) -> Findings:
    """Look whether others may read what is ours alone, or we may not.

    Args:
        data: the data folder; PostgreSQL's user may have to pass through it.
        private: files and folders that nobody else is to read; what is not there yet is left out.
        cluster: the database's files.
    """
    bad = [
        *_too_open(data, _OTHERS_WRITE, "others may write to", "go-w"),
        *_too_open(cluster, _CLUSTER, "PostgreSQL refuses to start on", "u=rwx,go="),
    ]
    for path in private:
        bad += _too_open(path, _OTHERS, "others may read", "go=")
        if _is_closed(path):
            chown = f"sudo chown -R $(id -u) {shlex.quote(str(path))}"
            bad.append(wrong(f"we may not read {path}", chown))
    yield from bad or [well("nobody else may read what is private")]


def _is_closed(path: Path) -> bool:
    try:
        return path.exists() and not os.access(path, os.R_OK)
    except PermissionError:
        return True


def _too_open(path: Path, mask: int, what: str, change: str) -> Findings:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return
    if mode & mask:
        yield wrong(f"{what} {path} ({mode:04o})", f"chmod {change} {shlex.quote(str(path))}")


def secrets_folder(folder: Path, names: Iterable[str], command: str) -> Findings:
    """Look at the folder of secrets of `compose.yaml`, on the machine where the engine runs.

    Args:
        folder: only its owner may enter; the files in it are open to the users of containers.
        names: of the secrets that there must be.
        command: what makes what is missing.
    """
    again = f"{command} {shlex.quote(str(folder))}"
    bad = list(_too_open(folder, _OTHERS, "others may enter", "go="))
    if missing := [name for name in names if not (folder / name).exists()]:
        bad.append(wrong(f"{folder} lacks {', '.join(missing)}", again))
    for path in (folder / name for name in names if name not in missing):
        quoted = shlex.quote(str(path))
        if path.is_dir():
            bad.append(wrong(f"an engine has made a folder in the place of {path}", f"rmdir {quoted}", again))
        elif not path.stat().st_mode & stat.S_IROTH:
            bad.append(wrong(f"the users of containers may not read {path}", f"chmod a+r {quoted}"))
        elif not path.stat().st_size:
            bad.append(wrong(f"{path} is empty", f"rm {quoted}", again))
    yield from bad or [well(f"{folder} is closed to others, and complete")]


def mounted_secrets(paths: Iterable[Path], command: str) -> Findings:
    """Look whether a container was given its secrets; `command` makes what is missing."""
    is_well = True
    for path in paths:
        try:
            read_secret(path, path.name, remedy="")
        except ValueError as error:
            is_well = False
            yield wrong(str(error), command)
    if is_well:
        yield well("the secrets that were mounted can be read")
