"""Licences of all locked packages, held to a list and to the exceptions of ops/docs/supply-chain.md."""

import json
import re
from fnmatch import fnmatch
from typing import Any

import pytest
from cyclonedx.model.component import ComponentScope
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression

from ops.development.commands.lock import LOCK
from ops.development.sbom import read_lock
from ops.launcher.paths import PROJECT

ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "MIT-0",
    "PSF-2.0", "Python-2.0", "Unlicense",
}  # fmt: skip
"""SPDX identifiers of licences that require attribution only."""
UNDECLARED = "none declared"
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


def installed_packages() -> set[tuple[str, str]]:
    """Name and licence of all that requirements.lock installs."""
    components = read_lock(PROJECT / LOCK, "3.11", scope=ComponentScope.REQUIRED)
    return {
        (
            component.name,
            licence.value if isinstance(licence, LicenseExpression) else licence.id or licence.name or "",
        )
        for component in components
        for licence in component.licenses or [DisjunctiveLicense(name=UNDECLARED)]
    }


def listed_components(documents: dict[str, str]) -> set[tuple[str, str]]:
    """Name and licence of all components of all documents but base images."""
    return {
        (component["name"], licence_of(component))
        for document in documents.values()
        for component in json.loads(document)["components"]
        if component["type"] != "container"
    }


def licence_of(component: dict[str, Any]) -> str:
    for choice in component.get("licenses", ()):
        licence = choice.get("license", {})
        return str(choice.get("expression") or licence.get("id") or licence["name"])
    return UNDECLARED


@pytest.fixture(scope="module")
def licences(sbom_documents: dict[str, str]) -> set[tuple[str, str]]:
    installed, listed = installed_packages(), listed_components(sbom_documents)
    assert len(installed) > 90
    assert len(listed) > 290
    return installed | listed


def test_every_licence_is_allowed_or_explained(licences: set[tuple[str, str]]) -> None:
    assert {row for row in licences if not is_allowed(row[1]) and not exceptions_for(*row)} == set()


def test_every_exception_is_still_needed(licences: set[tuple[str, str]]) -> None:
    needed = {exception for row in licences if not is_allowed(row[1]) for exception in exceptions_for(*row)}
    assert needed == set(EXCEPTIONS)
    assert {"psycopg*", "certifi"} <= {package for package, _ in needed}


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("(MIT OR CC0-1.0)", True),
        ("GPL-3.0-only OR MIT", True),
        ("BSD-2-Clause AND Unlicense AND MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("LGPL-3.0-only", False),
        ("SEE LICENSE IN LICENSE.txt", False),
        (UNDECLARED, False),
        ("", False),
    ],
)
def test_what_is_allowed(expression: str, allowed: bool) -> None:  # noqa: FBT001
    assert is_allowed(expression) is allowed
