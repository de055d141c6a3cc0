"""`kill -9`, and how long it takes until the product is whole again."""

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable, Mapping
from typing import Final

import psutil
import psycopg
from psycopg.conninfo import conninfo_to_dict

from ops.testing.product.load import Load
from ops.testing.stack import Stack


def _kill_part(name: str) -> Callable[[Stack], int]:
    return lambda stack: stack.kill(name)


def _kill_backend(stack: Stack) -> int:
    """Kill one of the command API's database sessions; PostgreSQL then ends all others and recovers."""
    role = conninfo_to_dict(stack.dsn("command-api"))["user"]
    with psycopg.connect(stack.owner_dsn) as connection:
        rows = connection.execute("SELECT pid FROM pg_stat_activity WHERE usename = %s", [role]).fetchall()
    pid: int = random.choice(rows)[0]  # noqa: S311
    os.kill(pid, signal.SIGKILL)
    return pid


VICTIMS: Final[Mapping[str, Callable[[Stack], int]]] = {
    "command-api": _kill_part("command-api"),
    "projections": _kill_part("projections"),
    "postgres": _kill_part("postgres"),
    "postgres backend": _kill_backend,
}
"""What can be killed, and how; the killed process's id is returned."""


async def kill(stack: Stack, victim: str, load: Load) -> float:
    """Kill something and wait until the product is whole again.

    Args:
        stack: the running product.
        victim: one of `VICTIMS`.
        load: what is going on meanwhile.

    Returns:
        The seconds until the killed part was back, and something written after that could be read.

    Raises:
        TimeoutError: that took too long.
    """
    began = time.monotonic()
    pid = VICTIMS[victim](stack)
    # PostgreSQL's sessions outlive its postmaster by a moment, and what they acknowledge proves nothing.
    async with asyncio.timeout(10):
        while psutil.pid_exists(pid):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.005)
    if victim in stack.record().parts:
        await asyncio.to_thread(stack.wait_until_back, victim, pid)
    await load.see_a_write()
    return time.monotonic() - began
