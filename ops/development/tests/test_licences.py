"""Licences of all locked packages, held to a list and to the exceptions of ops/docs/supply-chain.md."""

import json
import re
from fnmatch import fnmatch
from importlib.metadata import distribution, distributions

import pytest

from ops.development.commands.lock import LOCK
from ops.launcher.paths import FRONTEND, PROJECT

ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "MIT-0",
    "PSF-2.0", "Python-2.0", "Unlicense",
}  # fmt: skip
"""SPDX identifiers of licences that require attribution only."""
UNDECLARED = "none declared"
SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD License": "BSD-3-Clause",  # Jinja's
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
}
"""SPDX identifiers of licence names that packages use in place of an SPDX expression."""
NPM = json.loads((FRONTEND / "package-lock.json").read_text())["packages"]
EXCEPTIONS = re.findall(
    r"^\| `(\S+)` \| ([^|]+) \| [^|]+ \|$",
    (PROJECT / "ops/docs/supply-chain.md").read_text().partition("## Licences")[2].partition("\n## ")[0],
    re.MULTILINE,
)


def is_allowed(expression: str) -> bool:
    """Return whether one of the alternatives is allowed, each licence of it; nesting is never allowed."""
    return any(
        all(licence in ALLOWED for licence in alternative.split(" AND "))
        for alternative in re.sub(r"^\((.*)\)$", r"\1", expression).split(" OR ")
    )


def exceptions_for(package: str, licence: str) -> list[tuple[str, str]]:
    return [row for row in EXCEPTIONS if fnmatch(package, row[0]) and row[1] == licence]


def declared_licence(package: str) -> str:
    """Return the licence that an installed package declares; `.venv` holds every package of every lock."""
    declared = distribution(package).metadata.json
    if "license_expression" in declared:
        return str(declared["license_expression"])
    classifiers = [str(text) for text in declared.get("classifier", ()) if str(text).startswith("License ::")]
    names = [str(declared.get("license", "")), *(text.rpartition(" :: ")[2] for text in classifiers)]
    return next((SPDX.get(text, text) for text in names if text and "\n" not in text), UNDECLARED)


@pytest.fixture(scope="module")
def licences() -> set[tuple[str, str]]:
    locked = set(re.findall(r"^([a-z0-9-]+)==", (PROJECT / LOCK).read_text(), re.MULTILINE))
    installed = locked & {re.sub(r"[-_.]+", "-", one.name).lower() for one in distributions()}
    python = {(name, declared_licence(name)) for name in installed}
    npm = {
        (path.rpartition("node_modules/")[2], entry.get("license", UNDECLARED)) for path, entry in NPM.items()
    }
    assert len(python) > 90
    assert len(npm) > 250
    return python | npm


def test_the_locks_name_no_registry() -> None:
    for lock in (PROJECT / LOCK, *(PROJECT / "ops/locks").iterdir()):
        assert "://" not in lock.read_text(), lock
    assert [path for path, entry in NPM.items() if "resolved" in entry] == []


def test_every_licence_is_allowed_or_explained(licences: set[tuple[str, str]]) -> None:
    assert {row for row in licences if not is_allowed(row[1]) and not exceptions_for(*row)} == set()


def test_every_exception_is_still_needed(licences: set[tuple[str, str]]) -> None:
    needed = {exception for row in licences if not is_allowed(row[1]) for exception in exceptions_for(*row)}
    assert needed == set(EXCEPTIONS)
    assert {"psycopg*", "certifi"} <= {package for package, _ in needed}
