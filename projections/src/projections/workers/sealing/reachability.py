"""Whether an address outside the instance answers, for readiness and metrics."""

import time
from typing import Final

import structlog

from projections import metrics

logger = structlog.get_logger()

LONGEST_PAUSE: Final = 15.0
"""Between attempts while a witness is away."""


class Reachability:
    """The state of a witness or an authority: while it is away, nothing is delayed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.away: str | None = None
        """Why the last attempt to reach it failed; None if it succeeded."""
        self.away_since = 0.0
        """In seconds since 1970."""
        self._is_away = metrics.WITNESS_AWAY.labels(name)

    def set_away(self, why: str | None) -> None:
        """Store the result of an attempt."""
        if why is not None and self.away != why:
            logger.warning("witness_away", witness=self.name, error=why)
        if self.away is None:
            self.away_since = time.time()
        self.away = why
        self._is_away.set(why is not None)

    def forget(self) -> None:
        """Report nothing any more: the next leader does."""
        self._is_away.set(0)
