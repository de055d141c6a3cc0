"""What the user is told while something goes on."""

import sys


def say(message: str) -> None:
    """Print a line for the user; see `ops.base.observability.log_stream` for a terminal that is gone."""
    print(f"fleetlog: {message}", file=sys.stderr, flush=True)
