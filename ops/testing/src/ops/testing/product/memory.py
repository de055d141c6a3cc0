"""How much memory the services take, watched while something happens."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import psutil

from ops.testing.stack import Stack

SERVICES: Final = ("command-api", "query-api", "projections")
_LOOK_SECONDS: Final = 0.01


@dataclass
class Memory:
    """What the services take, and the most that they ever took while somebody looked."""

    before: dict[str, int]
    most: dict[str, int] = field(default_factory=dict)

    @property
    def growth(self) -> dict[str, int]:
        """By service, bytes."""
        return {name: self.most[name] - self.before[name] for name in self.before}

    def __str__(self) -> str:
        return ", ".join(
            f"{name} {self.before[name] >> 20} → {self.most[name] >> 20} MiB" for name in self.before
        )


@contextmanager
def watched(stack: Stack) -> Iterator[Memory]:
    """Watch the services' memory, many times a second."""
    processes = {name: psutil.Process(stack.pid(name)) for name in SERVICES}
    memory = Memory({name: process.memory_info().rss for name, process in processes.items()})
    memory.most = dict(memory.before)
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_LOOK_SECONDS):
            for name, process in processes.items():
                memory.most[name] = max(memory.most[name], process.memory_info().rss)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield memory
    finally:
        over.set()
        watching.join()
