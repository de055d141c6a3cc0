"""How many files and connections a process may have open."""

from contextlib import suppress
from typing import Final

MOST: Final = 65_536
"""More than anything here uses; some programs go through as many as they may have."""


def raise_descriptor_limit() -> int:
    """Let this process, and what it starts, open as much as the system lets it, and tell how much that is.

    Systems begin with little (1,024 is usual), so that old programs are not surprised, and leave the rest to
    be asked for.
    """
    try:
        import resource  # noqa: PLC0415 - Windows has none, and no such limit
    except ImportError:
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST if hard == resource.RLIM_INFINITY else min(MOST, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):  # macOS has one more limit, which it does not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            return most
        return soft
    return most
