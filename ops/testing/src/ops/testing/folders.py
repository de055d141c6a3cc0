"""Temporary folders that other users can enter."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """Create a temporary folder that PostgreSQL's user can enter, unlike pytest's `tmp_path`."""
    folder = Path(tempfile.mkdtemp(prefix="fleetlog-test-"))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
