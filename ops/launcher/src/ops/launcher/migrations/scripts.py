"""What a release makes of a database: scripts, which run once, and functions, which may change."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ops.launcher.errors import LauncherError

_HERE: Final = Path(__file__).parent
_CALLERS: Final = ("ops.base", "command_api", "projections", "query_api")
"""Packages with functions beside the code that calls them: they are found, and not imported."""


@dataclass(frozen=True)
class Script:
    """A file of SQL.

    Attributes:
        name: such as `0019_revocations`; a function's says where it lies.
        text: what is in it.
    """

    name: str
    text: str

    @property
    def revision(self) -> str:
        """Its number, if it is one that runs once."""
        return self.name.partition("_")[0]

    @property
    def checksum(self) -> str:
        """Differs where the text does."""
        return sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Release:
    """What a release knows.

    Attributes:
        scripts: run once, in this order; what is to be otherwise is the next one's to change.
        functions: what services call; put in the place of what is there when their text is another.
    """

    scripts: tuple[Script, ...]
    functions: tuple[Script, ...]


@cache
def this_release() -> Release:
    """Return what this release knows.

    Raises:
        LauncherError: a package whose functions the database needs is not installed.
    """
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
        raise LauncherError(f"the database needs functions of {package}, which is not installed here")
    return Path(found.submodule_search_locations[0])
