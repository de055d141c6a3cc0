"""Room where something of ours is kept: bytes, and names of files."""

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ops.launcher.doctor.findings import Finding, Findings, warning, well, wrong

LITTLE: Final = 0.15
"""Less than that is left: FleetlogDiskFills."""
LEAST: Final = 0.05
"""Less than that is left: FleetlogDiskFull. PostgreSQL ends when it cannot write."""


def disk(
    folders: Iterable[Path], *, for_reading: bool = False, little: float = LITTLE, least: float = LEAST
) -> Findings:
    """Look at the file systems of some folders.

    Args:
        folders: they need not be there yet.
        for_reading: they are mounted so that we cannot write to them, which says nothing of others.
        little: the share that is too little to sleep well.
        least: the share that is too little to go on.
    """

    def told(of: str, free: int, used: int, amount: str, command: str) -> Finding:
        share = free / (free + used) if free else 0.0
        what = f"{share:.0%} of the {of} of {place} is left ({amount})"
        if share < least:
            return wrong(f"{what}: what cannot write stops", command)
        return warning(what, command) if share < little else well(what)

    places = [next(path for path in (folder, *folder.parents) if path.exists()) for folder in folders]
    for place in {path.stat().st_dev: path for path in reversed(places)}.values():
        found, quoted = os.statvfs(place), shlex.quote(str(place))
        if found.f_flag & os.ST_RDONLY and not for_reading:
            what = f"{place} cannot be written to: it is mounted read-only"
            yield wrong(what, f"findmnt -T {quoted}", "dmesg | tail")
        room = f"{found.f_bavail * found.f_frsize / 1e9:.1f} GB"
        command = f"du -xhd 2 {quoted} | sort -h | tail"
        yield told("disk", found.f_bavail, found.f_blocks - found.f_bfree, room, command)
        if found.f_files:  # some file systems have as many as they like
            room, command = f"{found.f_favail} files", f"du -x --inodes -d 2 {quoted} | sort -n | tail"
            yield told("inodes", found.f_favail, found.f_files - found.f_ffree, room, command)
