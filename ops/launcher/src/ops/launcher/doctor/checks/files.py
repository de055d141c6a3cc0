"""Checks of permissions and secrets."""

import os
import shlex
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ops.launcher.doctor.findings import Findings, wrong
from ops.launcher.instance.data_folder import DataFolder

OTHERS: Final = 0o077
_OTHERS_WRITE: Final = 0o022
_CLUSTER: Final = 0o027
"""PostgreSQL refuses to start with more permissions."""


def private_files(data: DataFolder, cluster: Path) -> Findings:
    """Check that only this user can read the private files of an instance, which need not exist."""
    # PostgreSQL's user may have to pass through the data folder.
    yield from too_open(data.path, _OTHERS_WRITE, "other users may write to", "go-w")
    yield from too_open(cluster, _CLUSTER, "PostgreSQL refuses to start on", "u=rwx,go=")
    folders = [data.logs, data.gateway, data.identity_provider, data.audit]
    for path in [*folders, data.secrets, data.sign_in, data.record, data.sealing_key, data.pseudonym_key]:
        yield from too_open(path)
        if _is_unreadable(path):
            chown = f"sudo chown -R $(id -u) {shlex.quote(str(path))}"
            yield wrong(f"this user may not read {path}", chown)


def _is_unreadable(path: Path) -> bool:
    try:
        return path.exists() and not os.access(path, os.R_OK)
    except PermissionError:
        return True


def too_open(
    path: Path, mask: int = OTHERS, what: str = "other users may read", change: str = "go="
) -> Findings:
    """Check that a path has none of the permissions of a mask; it need not exist."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return
    if mode & mask:
        yield wrong(f"{what} {path} ({mode:04o})", f"chmod {change} {shlex.quote(str(path))}")


def secrets_folder(folder: Path, names: Iterable[str], command: str) -> Findings:
    """Check the secrets of `compose.yaml` on the machine of the container engine.

    Args:
        folder: only its owner may enter; the files in it are readable for the users of containers.
        names: the secrets that must exist.
        command: creates missing ones.
    """
    again = f"{command} {shlex.quote(str(folder))}"
    yield from too_open(folder, OTHERS, "other users may enter", "go=")
    if missing := [name for name in names if not (folder / name).exists()]:
        yield wrong(f"{folder} lacks {', '.join(missing)}", again)
    for path in (folder / name for name in names if name not in missing):
        quoted = shlex.quote(str(path))
        if path.is_dir():
            yield wrong(f"{path} is a folder, created by a container engine", f"rmdir {quoted}", again)
        elif not path.stat().st_mode & stat.S_IROTH:
            yield wrong(f"the users of containers may not read {path}", f"chmod a+r {quoted}")
        elif not path.stat().st_size:
            yield wrong(f"{path} is empty", f"rm {quoted}", again)
