"""Resource limits of this process and its children: open files and core dumps."""

import sys
from contextlib import suppress
from typing import Final

if sys.platform != "win32":  # which has no such limits
    import resource

MOST: Final = 65_536
"""More descriptors than needed; some programs iterate over all possible descriptors."""


def possible_descriptors() -> int:
    """Return the number of files and connections that this process, or one that it starts, may ask for."""
    if sys.platform == "win32":
        return MOST
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if hard == resource.RLIM_INFINITY else min(MOST, hard)


def set_descriptor_limit(most: int) -> None:
    """Limit the descriptors of this process and those that it starts, if the system permits."""
    if sys.platform != "win32":
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):  # macOS has another, undocumented limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def raise_descriptor_limit() -> None:
    """Raise the limit of descriptors to the system's maximum; its default is often 1,024."""
    set_descriptor_limit(possible_descriptors())


def forbid_core_dumps() -> None:
    """Write no core dump of this process or those that it starts: it could contain personal data."""
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
