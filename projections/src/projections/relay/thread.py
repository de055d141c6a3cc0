"""Blocking calls in threads that can be abandoned."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

_Result = TypeVar("_Result")


def begin_in_thread(work: Callable[[], _Result]) -> "asyncio.Future[_Result]":
    """Run a function in a thread of its own, and return a future of its result.

    Unlike an executor's thread, this one does not keep the process alive: a Kafka client that waits for a
    broker cannot be interrupted. Cancelling the future does not stop the thread.
    """
    loop, outcome = asyncio.get_running_loop(), Future[_Result]()
    outcome.set_running_or_notify_cancel()

    def run() -> None:
        try:
            settle = partial(outcome.set_result, work())
        except BaseException as error:  # noqa: BLE001 - passed on to the caller
            settle = partial(outcome.set_exception, error)
        if not loop.is_closed():
            settle()

    threading.Thread(target=run, name="kafka", daemon=True).start()
    return asyncio.wrap_future(outcome)
