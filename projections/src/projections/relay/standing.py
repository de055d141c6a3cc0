"""What the relay is doing, for health, status and metrics."""

import time
from dataclasses import dataclass
from typing import Literal

Role = Literal["connecting", "standby", "leading"]


@dataclass(frozen=True)
class Standing:
    """What the relay is doing."""

    role: Role
    error: str | None = None
    """Why it last began again; None as soon as it works."""
    waiting_since: float | None = None
    """Since when, on the monotonic clock, it has waited for the broker; None: it does not."""

    @property
    def waited_seconds(self) -> float:
        """For how long it has waited for the broker."""
        return 0.0 if self.waiting_since is None else time.monotonic() - self.waiting_since
