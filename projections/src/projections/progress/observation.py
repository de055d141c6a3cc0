"""Repeated observation of a process's progress, for its metrics."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Never

import psycopg
from psycopg_pool import PoolTimeout

OBSERVE_SECONDS: Final = 1.0


async def keep_observing(observe: Callable[[], Awaitable[object]]) -> Never:
    """Call a function every second, until cancelled; the process's work reports an absent database."""
    while True:
        with suppress(psycopg.OperationalError, PoolTimeout):
            await observe()
        await asyncio.sleep(OBSERVE_SECONDS)
