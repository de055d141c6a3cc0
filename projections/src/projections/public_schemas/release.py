"""Compares derived schemas with the released ones, and releases them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from projections.public_schemas.compatibility import incompatibilities


@dataclass(frozen=True)
class Difference:
    """A type whose derived schema differs from the released one."""

    type: str
    kind: Literal["new", "compatible", "incompatible"]
    reasons: tuple[str, ...] = ()
    """Why the schemas are incompatible."""


def differences(
    released: Mapping[str, Mapping[str, Any]], derived: Mapping[str, Mapping[str, Any]]
) -> list[Difference]:
    """Compare all schemas by type; older versions, which are no longer derived, are left out."""
    found = []
    current = dict(map(_split, derived))
    for name in released:
        kind, version = _split(name)
        if current.get(kind, 0) < version:
            reason = "nothing of this name and version is published any more"
            found.append(Difference(name, "incompatible", (reason,)))
    for name, schema in derived.items():
        if name not in released:
            found.append(Difference(name, "new"))
        elif released[name] != schema:
            reasons = tuple(incompatibilities(released[name], schema))
            found.append(Difference(name, "incompatible" if reasons else "compatible", reasons))
    return found


def release(
    folder: Path, derived: Mapping[str, Mapping[str, Any]], found: list[Difference]
) -> list[Difference]:
    """Write the schemas that differ to the folder, unless some are incompatible; return these."""
    refused = [difference for difference in found if difference.kind == "incompatible"]
    if not refused:
        for difference in found:
            (folder / f"{difference.type}.json").write_bytes(file_of(derived[difference.type]))
    return refused


def file_of(schema: Mapping[str, Any]) -> bytes:
    """Return the served content of a schema's file."""
    return (json.dumps(schema, ensure_ascii=False, indent=2) + "\n").encode()


def _split(name: str) -> tuple[str, int]:
    """Return a type without its version, and the version."""
    kind, _, version = name.rpartition(".v")
    return kind, int(version)
