"""Waiting time of events by this process's clock, which no event's time can change."""

import time
from collections.abc import Callable
from typing import Final

_MOST_OBSERVATIONS: Final = 1_000


class Lag:
    """Records when the log's head grew, to determine how long the oldest unhandled event has waited.

    Time before the first observation does not count, so the lag is underestimated by at most one interval
    between observations. The clock is monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._observations: list[tuple[int, float]] = []
        """New heads with their times, from the oldest unhandled one."""

    def seconds(self, *, position: int, head: int) -> float:
        """Return how many seconds the event after a position has been known; 0 if no event follows."""
        now = self._clock()
        seen = self._observations
        if seen and seen[-1][0] > head:  # another log
            seen.clear()
        if not seen or seen[-1][0] < head:
            seen.append((head, now))
        self._observations = seen = [one for one in seen if one[0] > position]
        if len(seen) > _MOST_OBSERVATIONS:
            # A long lag needs no precision of seconds; the last observation stays, for it is the head.
            self._observations = [*seen[:-1:2], seen[-1]]
        return now - seen[0][1] if seen else 0.0
