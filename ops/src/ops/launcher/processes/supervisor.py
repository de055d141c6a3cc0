"""Starts the parts in order, keeps them running, ends them in order."""

import asyncio
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

from ops.launcher.instance.record import PartRecord
from ops.launcher.processes.child import Child
from ops.launcher.processes.part import Part
from ops.launcher.processes.together import together

_START_SECONDS = 60.0


class Supervisor:
    """The children of one launcher."""

    def __init__(
        self, logs: Path, *, say: Callable[[str], None], on_change: Callable[[dict[str, PartRecord]], None]
    ) -> None:
        """Prepare an empty supervisor.

        Args:
            logs: folder of the parts' log files.
            say: prints a line for the user.
            on_change: called with every part's record whenever one changes.
        """
        self._logs = logs
        self._say = say
        self._on_change = on_change
        self._children: list[Child] = []

    async def start(self, parts: Iterable[Part]) -> None:
        """Start parts side by side and return when all are ready.

        Raises:
            LauncherError: one of them did not start.
        """
        children = [
            Child(part, log=self._logs / f"{part.name}.log", say=self._say, changed=self._record)
            for part in parts
        ]
        self._children += children
        await together(*(child.start(_START_SECONDS) for child in children))

    async def stop(self) -> None:
        """End all parts, in the order of their `stop_order`."""
        ordered = sorted(self._children, key=lambda child: child.part.stop_order)
        for _, group in groupby(ordered, key=lambda child: child.part.stop_order):
            await asyncio.gather(*(child.stop() for child in group))

    def _record(self) -> None:
        self._on_change({child.part.name: child.record() for child in self._children})
