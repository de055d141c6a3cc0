"""Supervised tasks: failures are logged, and the task runs again."""

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

AGAIN_SECONDS: Final = 10.0
"""Longer than the time-out of a server's answer, for which a cancelled task may wait."""
_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 30.0
_RECENT_SECONDS: Final = 60.0
"""A task that has run for this long since its last failure counts as healthy."""

Work = Callable[[], Coroutine[Any, Any, Any]]

# Without structlog, because the launcher uses this module too.
_logger = logging.getLogger(__name__)
_failures: dict[str, tuple[float, str]] = {}


def failures() -> Mapping[str, str]:
    """Return the supervised tasks of this process that failed within the last minute, with their errors."""
    since = time.monotonic() - _RECENT_SECONDS
    return {name: error for name, (failed_at, error) in _failures.items() if failed_at > since}


async def supervised(work: Work, *, fatal: tuple[type[Exception], ...] = ()) -> None:
    """Run work until it returns or is cancelled; after a failure, log it and retry after a pause.

    Args:
        fatal: errors that are raised instead.
    """
    name = _name_of(work)
    task, pause = asyncio.current_task(), _FIRST_PAUSE
    while True:
        began = time.monotonic()
        try:
            await work()
        except fatal:
            raise
        except (Exception, asyncio.CancelledError) as error:
            if task is not None and task.cancelling():
                raise
            failed_at = time.monotonic()
            _failures[name] = failed_at, type(error).__name__
            if failed_at - began > _RECENT_SECONDS:
                pause = _FIRST_PAUSE
            # Without the error's message, which may quote personal data.
            trace = "".join(traceback.format_tb(error.__traceback__))
            text = f"{name} failed: {type(error).__name__}; it runs again in {pause} s\n{trace}"
            _logger.error(text)  # noqa: TRY400 - see above
        else:
            return
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


@asynccontextmanager
async def running(*work: Work, again_seconds: float = AGAIN_SECONDS) -> AsyncIterator[None]:
    """Run supervised work during the context, and cancel it at its end.

    Args:
        again_seconds: interval of further cancellations: if a connection is lost at the same time, its error
            replaces the cancellation, and work that handles such errors continues.
    """
    tasks = {asyncio.create_task(supervised(one), name=_name_of(one)) for one in work}
    try:
        yield
    finally:
        while tasks:
            for task in tasks:
                task.cancel()
            ended, tasks = await asyncio.wait(tasks, timeout=again_seconds)
            await asyncio.gather(*ended, return_exceptions=True)


def _name_of(work: Work) -> str:
    function = work.func if isinstance(work, partial) else work
    return str(getattr(function, "__qualname__", type(function).__name__))
