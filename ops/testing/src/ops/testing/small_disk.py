"""A small file system of its own, for tests that fill a disk."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest

_BLOCKS: Final = (1 << 20, 1 << 12, 1)
"""Bytes that are written at once until the disk is full: large blocks first, to be quick."""


class SmallDisk:
    """A mounted file system.

    Attributes:
        folder: where it is mounted.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Leave no byte free."""
        descriptor = os.open(self._filler, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            for size in _BLOCKS:
                with suppress(OSError):
                    while True:
                        os.write(descriptor, bytes(size))
        finally:
            os.close(descriptor)

    def free(self) -> None:
        """Give back what `fill` has taken."""
        self._filler.unlink()


@contextmanager
def small_disk(folder: Path, *, megabytes: int) -> Iterator[SmallDisk]:
    """Mount a file system in memory for the time of the context; skip the test where that is not permitted.

    Args:
        folder: an existing folder to mount it on. Other users can pass through it.
        megabytes: its size.
    """
    options = f"size={megabytes}m,mode=711"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "fleetlog-test", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
