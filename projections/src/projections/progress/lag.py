"""For how long events have waited: by the clock of whoever looks, which no event's moment can move."""

import time
from collections.abc import Callable
from typing import Final

_MOST_LOOKS: Final = 1_000


class Lag:
    """Remembers when it saw the log grow, and so since when the oldest event that is not handled has waited.

    It knows of no time before its first look, nor between two: a lag is told up to one look too short. The
    clock is the monotonic one, which nobody sets.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Prepare; nothing has been seen yet.

        Args:
            clock: gives seconds.
        """
        self._clock = clock
        self._looks: list[tuple[int, float]] = []
        """The heads that were new, and when: from the oldest one that is not handled on."""

    def seconds(self, *, position: int, head: int) -> float:
        """Return for how long the event after a position has been known of; 0: there is none.

        Args:
            position: the last one handled.
            head: the log's last one.
        """
        now = self._clock()
        if self._looks and self._looks[-1][0] > head:  # another log
            self._looks.clear()
        if not self._looks or self._looks[-1][0] < head:
            self._looks.append((head, now))
        self._looks = [look for look in self._looks if look[0] > position]
        if len(self._looks) > _MOST_LOOKS:
            # Behind for long, nobody asks for the second; the last one is kept, for it is the head.
            self._looks = [*self._looks[:-1:2], self._looks[-1]]
        return now - self._looks[0][1] if self._looks else 0.0
