"""Boundaries at which a test may end the process, as `kill -9` at exactly that moment would, or hold it up.

`FLEETLOG_FAILPOINTS=command.committed` ends the process when it comes by there for the first time,
`command.committed:3` at the third; `command.committed:3:stall` lets it never come back from there, holding
the interpreter as a regular expression may. Several are separated by commas. Unset, as in production, none
of them does anything.
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
        """Read which ones from an environment.

        Raises:
            ValueError: the setting is malformed.
        """
        self._passes_left: dict[str, int] = {}
        self._stalling: set[str] = set()
        for item in filter(None, environment.get(SETTING, "").split(",")):
            name, _, how = item.partition(":")
            count, _, stall = how.partition(":")
            self._passes_left[name] = int(count or 1)
            if stall:
                self._stalling.add(name)

    def reached(self, name: str) -> None:
        """End the process here, without any clean-up, if a test has asked for it."""
        if name not in self._passes_left:
            return
        self._passes_left[name] -= 1
        if self._passes_left[name] <= 0:
            if name in self._stalling:
                re.fullmatch("(a+)+b", "a" * 64)  # for longer than anybody lives
            os.kill(os.getpid(), signal.SIGKILL)


failpoint: Final = Failpoints(os.environ).reached
"""Mark a boundary: `failpoint("worker.rows_written")`."""
