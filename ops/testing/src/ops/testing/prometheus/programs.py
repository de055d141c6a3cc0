"""Finding or unpacking the programs `prometheus` and `promtool`."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from ops.development.debian import APT_LOCK, run_apt
from ops.launcher.errors import LauncherError
from ops.launcher.paths import CACHE
from ops.launcher.programs import one_at_a_time

SETTING: Final = "FLEETLOG_PROMETHEUS"
"""Names the folder of both programs."""
_PROGRAMS: Final = ("prometheus", "promtool")


def find_or_unpack_prometheus() -> dict[str, str]:
    """Return the paths of the programs by name, from the setting, PATH or Debian's package.

    The package is unpacked into the project's cache and not installed, since that would start a server.

    Raises:
        LauncherError: the programs are not available.
    """
    named = os.environ.get(SETTING)
    found = _in(named or os.environ.get("PATH", ""))
    if found is None and named:
        raise LauncherError(f"{SETTING} names {named}, which lacks {' and '.join(_PROGRAMS)}")
    if found is None:
        unpacked = CACHE / "prometheus"
        found = _in(str(unpacked / "usr/bin"))
        if found is None:
            if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
                raise LauncherError(f"no prometheus and promtool on PATH; {SETTING} names their folder")
            _unpack("prometheus", unpacked)
            found = _in(str(unpacked / "usr/bin"))
    if found is None:
        raise LauncherError("Debian's package has no prometheus and promtool")
    return found


def _unpack(package: str, folder: Path) -> None:
    """Download a Debian package and unpack its files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with one_at_a_time(APT_LOCK), tempfile.TemporaryDirectory(dir=folder.parent) as download:
        try:
            run_apt(["apt-get", "-qq", "download", package], cwd=download)
        except LauncherError:
            if os.geteuid() != 0:
                raise
            run_apt(["apt-get", "-qq", "update"])  # a fresh machine has no package lists
            run_apt(["apt-get", "-qq", "download", package], cwd=download)
        (file,) = Path(download).glob("*.deb")
        run_apt(["dpkg-deb", "-x", str(file), str(folder)])


def _in(path: str) -> dict[str, str] | None:
    found = {name: shutil.which(name, path=path) for name in _PROGRAMS}
    return {name: str(Path(where)) for name, where in found.items() if where} if all(found.values()) else None
