"""Messages to the user while a command runs."""

import sys

from ops.base.observability.log_stream import LogStream


def notify(message: str) -> None:
    """Print a line on standard error; a closed terminal or a full disk is no error (`protect_stderr`)."""
    print(f"fleetlog: {message}", file=sys.stderr, flush=True)


def lost_lines() -> int:
    """Return the number of this process's log lines that could not be written, as on a full disk."""
    return sys.stderr.lost if isinstance(sys.stderr, LogStream) else 0
