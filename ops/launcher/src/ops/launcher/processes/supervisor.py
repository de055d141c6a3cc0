"""Starts the parts in order, keeps them running, ends them in order."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from ops.launcher.instance.record import PartRecord
from ops.launcher.processes.child import Child
from ops.launcher.processes.part import Part

_START_SECONDS = 60.0
_RETRY_SECONDS = 1.0


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
        self._is_behind = False
        self._retry: asyncio.TimerHandle | None = None

    async def start(self, parts: Iterable[Part]) -> None:
        """Start parts side by side and return when all are ready.

        Raises:
            LauncherError: one of them did not start.
        """
        children = [
            Child(part, log=self._logs / f"{part.name}.log", say=self._say, changed=self.record)
            for part in parts
        ]
        self._children += children
        await together(*(child.start(_START_SECONDS) for child in children))

    async def stop(self) -> None:
        """End all parts, in the order of their `stop_order`."""
        ordered = sorted(self._children, key=lambda child: child.part.stop_order)
        for _, group in groupby(ordered, key=lambda child: child.part.stop_order):
            await asyncio.gather(*(child.stop() for child in group))

    def record(self) -> None:
        """Report the parts' records; while that is not possible, as on a full disk, try again."""
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        try:
            self._on_change({child.part.name: child.record() for child in self._children})
        except OSError as error:
            if not self._is_behind:
                self._say(f"the state of the parts cannot be recorded, and is tried again: {error}")
            self._is_behind = True
            self._retry = asyncio.get_running_loop().call_later(_RETRY_SECONDS, self.record)
        else:
            self._is_behind = False


async def together(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Run coroutines side by side; when one fails the others are cancelled and waited for.

    Raises:
        Exception: the first failure.
    """
    first: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as group:
            for coroutine in coroutines:
                group.create_task(coroutine)
    except* Exception as failures:  # noqa: BLE001 - passed on below
        first = failures
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
    # Not from within: Python before 3.11.3 would wrap it in a group again.
    if first is not None:
        raise first from None
