"""Temporary folders that PostgreSQL's user can pass through."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that other users can pass through; pytest's own `tmp_path` is closed to them."""
    folder = Path(tempfile.mkdtemp(prefix="fleetlog-test-"))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
