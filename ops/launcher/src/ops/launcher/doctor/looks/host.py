"""What the machine gives: memory, processes, open files, ports for what is restarted, and the time."""

import ctypes
import os
import re
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ops.base.process.resource_limits import possible_descriptors
from ops.launcher.doctor.findings import Findings, warning, well, wrong

if sys.platform != "win32":
    import resource

MEMORY_BYTES: Final = 300_000_000
"""What starting takes, and PostgreSQL's sorting."""
PROCESSES: Final = 100
"""One for each connection of the database, and a dozen of ours."""
DESCRIPTORS: Final = 4096
"""With fewer the gateway has connections for some hundred people, no more."""
_OURS: Final = 32_000
"""Below it are the ports that parts of one machine talk to each other on; see `processes.ports`."""
_UNSYNCHRONISED: Final = 0x0040
_TIMEX_BYTES: Final = 256
_FUTURE_SECONDS: Final = 60.0


def memory(least: int = MEMORY_BYTES) -> Findings:
    """Look whether there is memory for another start."""
    kilobytes = dict(re.findall(r"(\w+): +(\d+) kB", _text(Path("/proc/meminfo"))))
    free, total = (int(kilobytes.get(name, 0)) * 1024 for name in ("MemAvailable", "MemTotal"))
    what = f"{free / 1e9:.1f} GB of {total / 1e9:.1f} GB of memory can be had"
    if total:
        yield (
            well(what)
            if free >= least
            else warning(f"{what}: the system kills what asks for more", "free -h")
        )


def processes(room: int = PROCESSES, *, group: Path = Path("/sys/fs/cgroup")) -> Findings:
    """Look whether as many processes may be started as are needed."""
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
    else:
        yield well("processes can be started")


def descriptors(least: int = DESCRIPTORS) -> Findings:
    """Look how many files and connections a process may have open."""
    possible = possible_descriptors()
    what = f"a process may have {possible} files and connections open"
    if possible < least:
        yield warning(f"{what}, which bounds how many people the gateway can serve", "ulimit -Hn")
    else:
        yield well(what)


def local_ports(told: Path = Path("/proc/sys/net/ipv4/ip_local_port_range")) -> Findings:
    """Look whether the system leaves us the ports on which a restarted part is found again."""
    first, *_ = _text(told).split() or [str(_OURS)]
    if int(first) < _OURS:
        yield warning(
            f"outgoing connections take ports from {first} on: a restarted part may find its own taken",
            'sudo sysctl -w net.ipv4.ip_local_port_range="32768 60999"',
        )
    else:
        yield well("the ports below 32000 are left to those who listen")


def clock(folders: Iterable[Path] = ()) -> Findings:
    """Look whether somebody keeps the clock, and whether it was set back behind what is in some folders."""
    now = time.time()
    for path in (path for folder in folders if folder.is_dir() for path in folder.glob("*")):
        if (ahead := path.stat().st_mtime - now) > _FUTURE_SECONDS:
            what = f"the clock was set back: {path} was written {ahead:.0f} s in the future"
            yield wrong(what, "date -u", "sudo chronyc makestep")
            return
    it_is = f"it is {datetime.fromtimestamp(now, UTC):%Y-%m-%dT%H:%M:%SZ}"
    if _is_unsynchronised():
        what = f"{it_is}, and the kernel says that nobody keeps this clock right"
        yield warning(what, "sudo timedatectl set-ntp true")
    else:
        yield well(it_is)


def _is_unsynchronised() -> bool:
    """Whether the kernel says so."""
    told = ctypes.create_string_buffer(_TIMEX_BYTES)  # `modes` 0: nothing is set
    with suppress(OSError, AttributeError):  # only Linux has it
        state = ctypes.CDLL(None, use_errno=True).adjtimex(told)
        # struct timex: modes, then offset, freq, maxerror, esterror as longs, then status
        return state >= 0 and bool(int.from_bytes(told.raw[40:44], sys.byteorder) & _UNSYNCHRONISED)
    return False


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
