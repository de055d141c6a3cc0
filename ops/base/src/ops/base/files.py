"""Files that must be there after a power failure."""

import os
from pathlib import Path


def to_disk(folder: Path) -> None:
    """Have on the disk which files a folder has."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
