"""Supervisor of the product's processes."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from ops.launcher.instance.record import ProcessRecord
from ops.launcher.processes.child import Child
from ops.launcher.processes.spec import ProcessSpec

_START_SECONDS = 60.0
_RETRY_SECONDS = 1.0


class Supervisor:
    """Starts processes, restarts those that end, and stops all of them in order."""

    def __init__(
        self,
        logs: Path,
        *,
        notify: Callable[[str], None],
        on_change: Callable[[dict[str, ProcessRecord]], None],
    ) -> None:
        """Create a supervisor without processes.

        Args:
            on_change: called with the record of every process whenever one changes.
        """
        self._logs = logs
        self._notify = notify
        self._on_change = on_change
        self._children: list[Child] = []
        self._is_behind = False
        self._retry: asyncio.TimerHandle | None = None

    async def start(self, specs: Iterable[ProcessSpec]) -> None:
        """Start processes concurrently and wait until all are ready."""
        children = [
            Child(spec, log=self._logs / f"{spec.name}.log", notify=self._notify, changed=self.record)
            for spec in specs
        ]
        self._children += children
        await together(*(child.start(_START_SECONDS) for child in children))

    async def stop(self) -> None:
        """Stop all processes in the order of their `stop_order`."""
        ordered = sorted(self._children, key=lambda child: child.spec.stop_order)
        for _, group in groupby(ordered, key=lambda child: child.spec.stop_order):
            await asyncio.gather(*(child.stop() for child in group))

    def record(self) -> None:
        """Pass the records on; retry while they cannot be written, as on a full disk."""
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        try:
            self._on_change({child.spec.name: child.record() for child in self._children})
        except OSError as error:
            if not self._is_behind:
                self._notify(f"the state of the processes cannot be recorded; retrying: {error}")
            self._is_behind = True
            self._retry = asyncio.get_running_loop().call_later(_RETRY_SECONDS, self.record)
        else:
            self._is_behind = False


async def together(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Run coroutines concurrently; if one fails, cancel the others and raise the first failure."""
    first: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as group:
            for coroutine in coroutines:
                group.create_task(coroutine)
    except* Exception as failures:  # noqa: BLE001 - raised below
        first = failures
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
    # Raised outside the handler: Python before 3.11.3 would wrap it in a group again.
    if first is not None:
        raise first from None
