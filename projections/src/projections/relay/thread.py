"""Blocking work beside the event loop, which can be given up."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

_Result = TypeVar("_Result")


def begin_in_thread(work: Callable[[], _Result]) -> "asyncio.Future[_Result]":
    """Do something in a thread of its own.

    Unlike an executor's, the thread is no reason for the process to live on: a Kafka client that waits for a
    broker cannot be interrupted, only left behind.

    Returns:
        What becomes of it; cancelled, the thread goes on and nobody learns what it does.
    """
    loop, outcome = asyncio.get_running_loop(), Future[_Result]()
    outcome.set_running_or_notify_cancel()

    def run() -> None:
        try:
            settle = partial(outcome.set_result, work())
        except BaseException as error:  # noqa: BLE001 - whoever waits is told
            settle = partial(outcome.set_exception, error)
        if not loop.is_closed():
            settle()

    threading.Thread(target=run, name="kafka", daemon=True).start()
    return asyncio.wrap_future(outcome)
