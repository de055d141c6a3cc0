"""Atomic replacement of small private files."""

import os
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from ops.base.files import to_disk


def known_fields(kind: type[Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that a dataclass has; files of other releases may have more.

    Raises:
        KeyError: a required member is missing.
    """
    return {
        each.name: found[each.name]
        for each in fields(kind)
        if each.name in found or (each.default is MISSING and each.default_factory is MISSING)
    }


def write_private(path: Path, text: str, *, durable: bool = False) -> None:
    """Replace a file atomically, readable by its owner only; if `durable`, it survives a power failure."""
    unfinished = path.with_name(f"{path.name}.new")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    unfinished.replace(path)
    if durable:
        to_disk(path.parent)
