"""Durability of files."""

import os
from pathlib import Path


def to_disk(folder: Path) -> None:
    """Write a folder's entries to the disk, so that they survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
