"""Several things at once, of which none outlives the failure of another."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from ops.launcher.errors import LauncherError


async def together(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Run coroutines side by side; when one fails the others are cancelled and waited for.

    Raises:
        LauncherError: the first failure.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for coroutine in coroutines:
                group.create_task(coroutine)
    except* LauncherError as failures:
        first: BaseException = failures
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None
