"""Delay before a process that ended is started again."""

from typing import Final

STABLE_SECONDS: Final = 5.0
"""A process that was ready for this long counts as stable: something else ended it."""
TOLERATED_CRASHES: Final = 3
"""Number of consecutive crashes shortly after becoming ready that are restarted without delay."""
FIRST_SECONDS: Final = 0.2
LONGEST_SECONDS: Final = 10.0


class Backoff:
    """Exponential backoff for a process that keeps crashing.

    A start costs a service about one second of processor time, so a crash loop settles at a tenth of a core.
    """

    def __init__(self, longest_seconds: float = LONGEST_SECONDS) -> None:
        self._longest_seconds = longest_seconds
        self._crashes = 0
        self._failures = 0

    def next_delay(self, *, ready_seconds: float | None) -> float:
        """Return the seconds to wait before the next start.

        Args:
            ready_seconds: how long the process was ready; None: it never was.
        """
        if ready_seconds is not None and ready_seconds >= STABLE_SECONDS:
            self._crashes = self._failures = 0
            return 0.0
        if ready_seconds is not None:
            self._crashes += 1
            if self._crashes <= TOLERATED_CRASHES:
                return 0.0
        self._failures += 1
        return float(min(FIRST_SECONDS * 2 ** (self._failures - 1), self._longest_seconds))
