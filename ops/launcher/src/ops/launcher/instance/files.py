"""Atomic replacement of small private files."""

import os
from pathlib import Path

from ops.base.files import to_disk


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
