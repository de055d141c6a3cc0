"""SQL of a release: scripts, which run once, and functions, which are replaced when they change."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ops.launcher.errors import LauncherError

_HERE: Final = Path(__file__).parent
_CALLERS: Final = ("ops.base", "command_api", "projections")
"""Packages that contain functions; they are not imported."""


@dataclass(frozen=True)
class Script:
    """A file of SQL.

    Attributes:
        name: such as `0019_revocations`; of a function, its package and path.
    """

    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text."""
        return sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Release:
    """The SQL of a release.

    Attributes:
        scripts: run once, in this order, and are never changed afterwards.
        functions: called by services; run again when their text has changed.
    """

    scripts: tuple[Script, ...]
    functions: tuple[Script, ...]


@cache
def this_release() -> Release:
    """Return the SQL of this release."""
    functions: list[Script] = []
    for package in _CALLERS:
        functions += _read(_folder(package), "**/*.sql", f"{package}/")
    return Release(scripts=tuple(_read(_HERE / "versions", "*.sql")), functions=tuple(functions))


def _read(folder: Path, pattern: str, prefix: str = "") -> list[Script]:
    return [
        Script(prefix + path.relative_to(folder).with_suffix("").as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob(pattern))
    ]


def _folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise LauncherError(f"the database needs functions of {package}, which is not installed")
    return Path(found.submodule_search_locations[0])
