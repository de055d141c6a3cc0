"""How many files and connections a process may have open."""

import sys
from contextlib import suppress
from typing import Final

if sys.platform != "win32":  # which has no such limit
    import resource

MOST: Final = 65_536
"""More than anything here uses; some programs go through as many as they may have."""


def possible_descriptors() -> int:
    """Tell how many this process, or one that it starts, may ask for."""
    if sys.platform == "win32":
        return MOST
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if hard == resource.RLIM_INFINITY else min(MOST, hard)


def set_descriptor_limit(most: int) -> None:
    """Let this process, and what it starts, have so many, if the system lets it."""
    if sys.platform != "win32":
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):  # macOS has one more limit, which it does not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def raise_descriptor_limit() -> None:
    """Let this process, and what it starts, have as many as the system lets it.

    Systems begin with little (1,024 is usual), so that old programs are not surprised, and leave the rest to
    be asked for.
    """
    set_descriptor_limit(possible_descriptors())
