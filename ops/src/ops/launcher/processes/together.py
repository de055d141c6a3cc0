"""Several things at once, of which none outlives the failure of another."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def together(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Run coroutines side by side; when one fails the others are cancelled and waited for.

    Raises:
        Exception: the first failure.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for coroutine in coroutines:
                group.create_task(coroutine)
    except* Exception as failures:  # noqa: BLE001 - passed on below
        first: BaseException = failures
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None
