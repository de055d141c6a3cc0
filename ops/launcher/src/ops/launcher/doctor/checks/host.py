"""Checks of the machine: memory, processes, open files, ports, time, and disks."""

import ctypes
import os
import re
import shlex
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ops.base.process.resource_limits import possible_descriptors
from ops.launcher.doctor.findings import Finding, Findings, warning, well, wrong

if sys.platform != "win32":
    import resource

MEMORY_BYTES: Final = 300_000_000
"""Needed for a start, and for sorting in PostgreSQL."""
PROCESSES: Final = 100
"""One per database connection, and a dozen others."""
DESCRIPTORS: Final = 4096
"""With fewer, the gateway can serve a few hundred users."""
LITTLE: Final = 0.15
"""Free share of a disk, as in the check DiskFills of the registry."""
LEAST: Final = 0.05
"""As in DiskFull."""
_OUR_PORTS: Final = 32_000
"""The upper end of the services' ports; see `processes.ports`."""
_UNSYNCHRONISED: Final = 0x0040
_TIMEX_BYTES: Final = 256
_FUTURE_SECONDS: Final = 60.0


def memory(least: int = MEMORY_BYTES) -> Findings:
    """Check that enough memory is available for another start."""
    kilobytes = dict(re.findall(r"(\w+): +(\d+) kB", _text(Path("/proc/meminfo"))))
    free, total = (int(kilobytes.get(name, 0)) * 1024 for name in ("MemAvailable", "MemTotal"))
    what = f"{free / 1e9:.1f} GB of {total / 1e9:.1f} GB of memory are available"
    if total:
        yield well(what) if free >= least else warning(f"{what}: the system may kill processes", "free -h")


def processes(room: int = PROCESSES, *, group: Path = Path("/sys/fs/cgroup")) -> Findings:
    """Check that enough processes may be started."""
    lacking = []
    most, now = _text(group / "pids.max"), _text(group / "pids.current")
    if most.isdecimal() and now.isdecimal() and int(most) - int(now) < room:
        lacking.append(f"{now} of {most} of the control group run")
    if sys.platform != "win32" and os.geteuid() != 0:  # root has no such limit
        soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
        if soft != resource.RLIM_INFINITY and soft < room:
            lacking.append(f"one user may have {soft}")
    if lacking:
        what = f"few processes can be started: {'; '.join(lacking)}"
        yield warning(what, "ulimit -u", "systemctl status $$")


def descriptors(least: int = DESCRIPTORS) -> Findings:
    """Check the number of files and connections that a process may have open."""
    possible = possible_descriptors()
    what = f"a process may have {possible} files and connections open"
    if possible < least:
        yield warning(f"{what}, which limits the number of users that the gateway can serve", "ulimit -Hn")
    else:
        yield well(what)


def local_ports(file: Path = Path("/proc/sys/net/ipv4/ip_local_port_range")) -> Findings:
    """Check that the system does not assign the services' ports to outgoing connections."""
    first, *_ = _text(file).split() or [str(_OUR_PORTS)]
    if int(first) < _OUR_PORTS:
        yield warning(
            f"outgoing connections use ports from {first} on: a restarted service may find its port in use",
            'sudo sysctl -w net.ipv4.ip_local_port_range="32768 60999"',
        )


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


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


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
