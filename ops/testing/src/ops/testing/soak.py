"""How much of its full count a soak runs: all, unless `./fleetlog soak NAME --share 0.05` asks for less."""

import os
from typing import Final

SETTING: Final = "FLEETLOG_SOAK_SHARE"


def soak_count(full: int) -> int:
    """Return how often to do what the full count does so often; at least once."""
    return max(1, round(full * float(os.environ.get(SETTING, "1"))))
