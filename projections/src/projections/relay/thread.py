"""Blocking work beside the event loop, which can be given up."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

_Result = TypeVar("_Result")


def begin_in_thread(work: Callable[[], _Result]) -> "asyncio.Future[_Result]":
    """Do something in a thread of its own.

    Unlike an executor's, the thread is no reason for the process to live on: a Kafka client that waits for a
    broker cannot be interrupted, only left behind.

    Returns:
        What becomes of it; cancelled, the thread goes on and nobody learns what it does.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[_Result] = loop.create_future()

    def settle(result: _Result | None, error: BaseException | None) -> None:
        if outcome.done():
            return
        if error is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(result)  # type: ignore[arg-type]  # it is one where there is no error

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - whoever waits is told
            reported = (None, error)
        else:
            reported = (result, None)  # type: ignore[assignment]
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, *reported)

    threading.Thread(target=run, name="kafka", daemon=True).start()
    return outcome
