"""Failpoints, at which a test kills or blocks the process.

`FLEETLOG_FAILPOINTS=command.committed` kills the process when it first reaches that point, and
`command.committed:3` at the third time; `command.committed:3:stall` blocks the interpreter there, as a
regular expression may. Several points are separated by commas. In production the variable is not set.
"""

import os
import re
import signal
from collections.abc import Mapping
from typing import Final

SETTING: Final = "FLEETLOG_FAILPOINTS"


class Failpoints:
    """The failpoints that are armed."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Parse the setting of an environment; raises `ValueError`."""
        self._passes_left: dict[str, int] = {}
        self._stalling: set[str] = set()
        for item in filter(None, environment.get(SETTING, "").split(",")):
            name, _, how = item.partition(":")
            count, _, stall = how.partition(":")
            self._passes_left[name] = int(count or 1)
            if stall:
                self._stalling.add(name)

    def reached(self, name: str) -> None:
        """Kill the process without clean-up, if this failpoint is armed."""
        if name not in self._passes_left:
            return
        self._passes_left[name] -= 1
        if self._passes_left[name] <= 0:
            if name in self._stalling:
                re.fullmatch("(a+)+b", "a" * 64)  # takes practically for ever
            os.kill(os.getpid(), signal.SIGKILL)


FAILPOINTS: Final = Failpoints(os.environ)
"""Those of this process."""

failpoint: Final = FAILPOINTS.reached
"""Mark a boundary: `failpoint("worker.rows_written")`."""
