"""Tasks that last as long as what they are for."""

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

AGAIN_SECONDS: Final = 10.0
"""Longer than it takes a server to answer, for which one that is cancelled may wait."""
_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 30.0
_RECENT_SECONDS: Final = 60.0
"""A task that has run for so long since its last failure works again."""

Work = Callable[[], Coroutine[Any, Any, Any]]

# Without structlog: the launcher uses this as well.
_logger = logging.getLogger(__name__)
_failures: dict[str, tuple[float, str]] = {}


def failures() -> Mapping[str, str]:
    """Return the supervised tasks of this process that failed within the last minute, with their errors."""
    since = time.monotonic() - _RECENT_SECONDS
    return {name: error for name, (failed_at, error) in _failures.items() if failed_at > since}


async def supervised(work: Work, *, fatal: tuple[type[Exception], ...] = ()) -> None:
    """Run work until it returns or is cancelled; whenever it fails, log that and run it again after a pause.

    Args:
        work: what to run.
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
    """Run supervised work beside the context, and cancel it at the context's end.

    Args:
        work: see `supervised`.
        again_seconds: after which it is cancelled again: where a connection is lost in the very moment, its
            error takes the cancellation's place, and work that handles such errors goes on.
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
