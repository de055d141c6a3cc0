"""What time it is, for those who must not believe a clock that jumps."""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

SLEW: Final = 0.001
"""A clock that runs so much too fast or too slow is followed; more than that is a jump."""


def _elapsed() -> float:
    # On macOS the monotonic clock counts sleep as well.
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


class SteadyClock:
    """The system's time as it was at the start, and what has passed since, also while the machine slept.

    It follows the system's clock slowly: so nothing adds up over months, and nobody can drag it far in a day.
    """

    def __init__(
        self, wall: Callable[[], float] = time.time, elapsed: Callable[[], float] = _elapsed
    ) -> None:
        """Believe the system's clock once.

        Args:
            wall: gives the system's time, in seconds since 1970.
            elapsed: gives the seconds since some moment; it does not jump.
        """
        self._wall, self._elapsed = wall, elapsed
        self._believed, self._read_at = wall(), elapsed()

    def now(self) -> datetime:
        """Return the time."""
        read_at = self._elapsed()
        passed = read_at - self._read_at
        self._believed += passed
        self._read_at = read_at
        most = passed * SLEW
        self._believed += min(max(self._wall() - self._believed, -most), most)
        return datetime.fromtimestamp(self._believed, UTC)


STEADY_CLOCK: Final = SteadyClock()
"""The process's own."""
