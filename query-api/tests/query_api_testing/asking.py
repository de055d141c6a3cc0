"""Asking again until the query API has heard of what happened in the database."""

import asyncio
from collections.abc import Callable

import httpx

from ops.testing.waiting import PATIENCE_SECONDS


async def until(
    client: httpx.AsyncClient, path: str, fits: Callable[[httpx.Response], bool], **headers: str
) -> httpx.Response:
    """Ask until an answer fits, however busy the machine is, and return it."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            answer = await client.get(path, headers=headers)
            if fits(answer):
                return answer
            await asyncio.sleep(0.01)
