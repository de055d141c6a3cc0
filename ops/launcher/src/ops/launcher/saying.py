"""What the user is told while something goes on."""

import contextlib
import sys


def say(message: str) -> None:
    """Tell the user a line, if their terminal is still there."""
    with contextlib.suppress(OSError):
        print(f"fleetlog: {message}", file=sys.stderr, flush=True)
