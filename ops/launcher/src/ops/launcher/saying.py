"""Messages to the user while a command runs."""

import sys

from ops.base.observability.log_stream import LogStream


def say(message: str) -> None:
    """Print a line for the user; see `ops.base.observability.log_stream` for a terminal that is gone."""
    print(f"fleetlog: {message}", file=sys.stderr, flush=True)


def lost_lines() -> int:
    """Return the number of this process's log lines that could not be written, as on a full disk."""
    return sys.stderr.lost if isinstance(sys.stderr, LogStream) else 0
