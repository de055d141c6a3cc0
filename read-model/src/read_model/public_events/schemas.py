"""The released schemas: files in this folder, which only a release changes."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

RELEASED: Final = Path(__file__).with_name("released")
"""The folder with the served file `TYPE.json` of each type and version."""


@cache
def released_files() -> Mapping[str, bytes]:
    """Return the files of all released schemas by type, sorted by name."""
    return {path.stem: path.read_bytes() for path in sorted(RELEASED.glob("*.json"))}


@cache
def current_schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of the newest version of each type, which is published now."""
    newest: dict[str, tuple[int, str]] = {}
    for name in released_schemas():
        kind, _, version = name.rpartition(".v")
        newest[kind] = max(newest.get(kind, (0, "")), (int(version), name))
    return {name: released_schemas()[name] for _, name in newest.values()}


@cache
def released_schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return all released schemas by type."""
    return {name: json.loads(text) for name, text in released_files().items()}
