"""Readers that count what they were not answered."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import httpx

from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.running import RunningProduct

_PAUSE_SECONDS: Final = 0.02


@dataclass
class Readings:
    """What some readers saw."""

    answered: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    """By status or kind of error."""
    slowest_seconds: float = 0.0


@asynccontextmanager
async def readers_on(product: RunningProduct, actor: Actor, *, readers: int) -> AsyncIterator[Readings]:
    """Let readers ask for one list after the other, and never again for what they were not answered.

    Args:
        product: the running product.
        actor: who they sign in as.
        readers: how many there are.
    """
    readings = Readings()
    stop_requested = asyncio.Event()

    async def read() -> None:
        headers = {"Authorization": f"Bearer {actor.token}"}
        async with httpx.AsyncClient(
            base_url=product.query_address, headers=headers, timeout=30, trust_env=False
        ) as http:
            while not stop_requested.is_set():
                for path in PATHS.values():
                    await _read(http, path, readings)
                    await asyncio.sleep(_PAUSE_SECONDS)

    async with asyncio.TaskGroup() as group:
        for _ in range(readers):
            group.create_task(read())
        try:
            yield readings
        finally:
            stop_requested.set()


async def _read(http: httpx.AsyncClient, path: str, readings: Readings) -> None:
    began = time.monotonic()
    try:
        answer = await http.get(path, params={"page": "0", "size": "20"})
    except httpx.TransportError as error:
        readings.failed[f"{type(error).__name__}: {error}"] += 1
    else:
        if answer.status_code == 200:
            readings.answered += 1
        else:
            readings.failed[str(answer.status_code)] += 1
    readings.slowest_seconds = max(readings.slowest_seconds, time.monotonic() - began)
