"""How long to wait before a program that ended is started again."""

from typing import Final

PROVEN_SECONDS: Final = 5.0
"""Whoever was ready for so long runs well; it was something else that ended it."""
SHORT_LIVES: Final = 3
"""So many shorter lives in a row may be bad luck."""
FIRST_SECONDS: Final = 0.2
LONGEST_SECONDS: Final = 10.0


class Backoff:
    """Starts a program again at once, but ever more slowly one that does not keep running.

    A start costs a service about a second of one processor: a crash loop takes a tenth of it in the end.
    """

    def __init__(self, longest_seconds: float = LONGEST_SECONDS) -> None:
        """Know of no failure yet.

        Args:
            longest_seconds: the longest wait.
        """
        self._longest_seconds = longest_seconds
        self._short_lives = 0
        self._failures = 0

    def seconds_after(self, *, ready_seconds: float | None) -> float:
        """Return how long to wait after a life.

        Args:
            ready_seconds: how long the program was ready in it; None: never.
        """
        if ready_seconds is not None and ready_seconds >= PROVEN_SECONDS:
            self._short_lives = self._failures = 0
            return 0.0
        if ready_seconds is not None:
            self._short_lives += 1
            if self._short_lives <= SHORT_LIVES:
                return 0.0
        self._failures += 1
        return float(min(FIRST_SECONDS * 2 ** (self._failures - 1), self._longest_seconds))
