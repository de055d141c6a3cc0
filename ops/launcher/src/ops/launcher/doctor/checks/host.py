"""Checks of the machine: time and disks."""

import ctypes
import os
import shlex
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ops.launcher.doctor.findings import Finding, Findings, warning, well, wrong

LITTLE: Final = 0.15
"""Free share of a disk, as in the check DiskFills of the registry."""
LEAST: Final = 0.05
"""As in DiskFull."""
_UNSYNCHRONISED: Final = 0x0040
_TIMEX_BYTES: Final = 256
_FUTURE_SECONDS: Final = 60.0


def clock(folders: Iterable[Path] = ()) -> Findings:
    """Check that the clock is synchronised, and not earlier than the files of some folders."""
    now = time.time()
    for path in (path for folder in folders if folder.is_dir() for path in folder.glob("*")):
        if (ahead := path.stat().st_mtime - now) > _FUTURE_SECONDS:
            what = f"the clock was set back: {path} was written {ahead:.0f} s in the future"
            yield wrong(what, "date -u", "sudo chronyc makestep")
            return
    time_now = f"it is {datetime.fromtimestamp(now, UTC):%Y-%m-%dT%H:%M:%SZ}"
    if _is_unsynchronised():
        what = f"{time_now}, and the kernel reports that this clock is not synchronised"
        yield warning(what, "sudo timedatectl set-ntp true")
    else:
        yield well(time_now)


def _is_unsynchronised() -> bool:
    timex = ctypes.create_string_buffer(_TIMEX_BYTES)  # `modes` is 0: read only
    with suppress(OSError, AttributeError):  # only Linux has it
        state = ctypes.CDLL(None, use_errno=True).adjtimex(timex)
        # struct timex: modes, then offset, freq, maxerror, esterror as longs, then status
        return state >= 0 and bool(int.from_bytes(timex.raw[40:44], sys.byteorder) & _UNSYNCHRONISED)
    return False


def disk(
    folders: Iterable[Path], *, for_reading: bool = False, little: float = LITTLE, least: float = LEAST
) -> Findings:
    """Check the free space and inodes of the file systems of some folders, which need not exist yet.

    Args:
        for_reading: whether this container mounts them read-only on purpose.
        little: free share below which there is a warning.
        least: free share below which it is wrong.
    """

    def judged(of: str, free: int, used: int, amount: str, command: str) -> Finding:
        share = free / (free + used) if free else 0.0
        what = f"{share:.0%} of the {of} of {place} is left ({amount})"
        if share < least:
            return wrong(f"{what}: services that cannot write stop", command)
        return warning(what, command) if share < little else well(what)

    places = [next(path for path in (folder, *folder.parents) if path.exists()) for folder in folders]
    for place in {path.stat().st_dev: path for path in reversed(places)}.values():
        found, quoted = os.statvfs(place), shlex.quote(str(place))
        if found.f_flag & os.ST_RDONLY and not for_reading:
            what = f"{place} cannot be written to: it is mounted read-only"
            yield wrong(what, f"findmnt -T {quoted}", "dmesg | tail")
        room = f"{found.f_bavail * found.f_frsize / 1e9:.1f} GB"
        command = f"du -xhd 2 {quoted} | sort -h | tail"
        yield judged("disk", found.f_bavail, found.f_blocks - found.f_bfree, room, command)
        if found.f_files:  # some file systems have no limit
            room, command = f"{found.f_favail} files", f"du -x --inodes -d 2 {quoted} | sort -n | tail"
            yield judged("inodes", found.f_favail, found.f_files - found.f_ffree, room, command)
