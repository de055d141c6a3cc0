"""Repetition of requests until the query API has been notified."""

import asyncio
from collections.abc import Callable

import httpx

from ops.testing.conditions import PATIENCE_SECONDS


async def until(
    client: httpx.AsyncClient, path: str, fits: Callable[[httpx.Response], bool], **headers: str
) -> httpx.Response:
    """Repeat a request until its answer fits, and return the answer."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            answer = await client.get(path, headers=headers)
            if fits(answer):
                return answer
            await asyncio.sleep(0.01)
