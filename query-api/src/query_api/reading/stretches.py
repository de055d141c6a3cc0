"""Going through positions a stretch at a time, each as long as the one before lets expect."""

import time
from typing import Final

STRETCH: Final = 20_000
"""Positions that the first statement looks at; most filters find enough there."""
STRETCH_SECONDS: Final = 0.2
"""Later ones look at as many as take about so long, judging by the one before."""
MOST_GROWTH: Final = 8


def grown(
    stretch: int, seconds: float, *, aim: float = STRETCH_SECONDS, most_growth: int = MOST_GROWTH
) -> int:
    """Return how many to look at next, after having looked at so many for so long."""
    return max(1, round(stretch * min(most_growth, aim / max(seconds, 1e-6))))


class Span:
    """What is left of a span of positions, after `low` and up to `high`."""

    def __init__(self, low: int, high: int, stretch: int, *, descending: bool) -> None:
        self.low, self.high, self.descending = low, high, descending
        self._stretch, self._began = stretch, 0.0

    @property
    def is_left(self) -> bool:
        """Whether there is more to look at."""
        return self.low < self.high

    @property
    def cursor(self) -> int:
        """Where a later part goes on."""
        return self.high + 1 if self.descending else self.low

    def next(self) -> tuple[int, int]:
        """Begin to look at the next stretch: after the first position, up to the second."""
        self._began = time.monotonic()
        if self.descending:
            return max(self.low, self.high - self._stretch), self.high
        return self.low, min(self.high, self.low + self._stretch)

    def go_on(self, stretch: tuple[int, int], reached: int | None) -> None:
        """Leave out a stretch that was looked at.

        Args:
            stretch: which.
            reached: the last position that was looked at; None: all were.
        """
        first, last = stretch
        if self.descending:
            self.high = first if reached is None else reached - 1
        else:
            self.low = last if reached is None else reached
        if reached is None:
            self._stretch = grown(self._stretch, time.monotonic() - self._began)
