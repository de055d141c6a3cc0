"""Holding what is derived against what has been released, and releasing it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from projections.public_schemas.compatibility import incompatibilities


@dataclass(frozen=True)
class Difference:
    """One type whose derived schema is not the released one."""

    type: str
    kind: Literal["new", "compatible", "incompatible"]
    reasons: tuple[str, ...] = ()
    """Why it may not take the released one's place."""


def differences(
    released: Mapping[str, Mapping[str, Any]], derived: Mapping[str, Mapping[str, Any]]
) -> list[Difference]:
    """Compare all schemas, by type. Older versions that are no longer derived stay as they are."""
    return [*_vanished(released, derived), *_changed(released, derived)]


def release(
    folder: Path, derived: Mapping[str, Mapping[str, Any]], found: list[Difference]
) -> list[Difference]:
    """Write the schemas that differ, if all of them may be released.

    Args:
        folder: of the released schemas.
        derived: the schemas by type.
        found: what `differences` found.

    Returns:
        What may not be released; if there is any, nothing has been written.
    """
    refused = [difference for difference in found if difference.kind == "incompatible"]
    if not refused:
        for difference in found:
            (folder / f"{difference.type}.json").write_bytes(file_of(derived[difference.type]))
    return refused


def file_of(schema: Mapping[str, Any]) -> bytes:
    """Return a schema as it is kept and served."""
    return (json.dumps(schema, ensure_ascii=False, indent=2) + "\n").encode()


def _vanished(released: Mapping[str, Any], derived: Mapping[str, Any]) -> Iterator[Difference]:
    made = {_unversioned(name): _version(name) for name in derived}
    for name in released:
        version = made.get(_unversioned(name), 0)
        if version < _version(name):
            yield Difference(
                name, "incompatible", ("nothing of this name and version is published any more",)
            )


def _changed(released: Mapping[str, Any], derived: Mapping[str, Any]) -> Iterator[Difference]:
    for name, schema in derived.items():
        if name not in released:
            yield Difference(name, "new")
        elif released[name] != schema:
            reasons = tuple(incompatibilities(released[name], schema))
            yield Difference(name, "incompatible" if reasons else "compatible", reasons)


def _unversioned(name: str) -> str:
    return name.rpartition(".v")[0]


def _version(name: str) -> int:
    return int(name.rpartition(".v")[2])
