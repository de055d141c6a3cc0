"""A clock that ignores jumps of the system's clock."""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

SLEW: Final = 0.001
"""Maximum relative correction towards the system's clock."""


def _elapsed() -> float:
    # On macOS the monotonic clock counts sleep as well.
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


class SteadyClock:
    """The system's time at the start plus the elapsed time, including suspension of the machine.

    It follows the system's clock slowly, so that errors do not add up over months, and a wrong clock has
    little effect within a day.
    """

    def __init__(
        self, wall: Callable[[], float] = time.time, elapsed: Callable[[], float] = _elapsed
    ) -> None:
        """Start the clock.

        Args:
            wall: returns the system's time, in seconds since 1970.
            elapsed: returns the seconds since a fixed time, monotonically.
        """
        self._wall, self._elapsed = wall, elapsed
        self._estimate, self._read_at = wall(), elapsed()

    def now(self) -> datetime:
        """Return the current time."""
        read_at = self._elapsed()
        passed = read_at - self._read_at
        self._estimate += passed
        self._read_at = read_at
        most = passed * SLEW
        self._estimate += min(max(self._wall() - self._estimate, -most), most)
        return datetime.fromtimestamp(self._estimate, UTC)


STEADY_CLOCK: Final = SteadyClock()
"""The clock of this process."""
