"""`kill -9`, and how long it takes until the product is whole again."""

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, LiteralString

import psutil
import psycopg
from psycopg.conninfo import conninfo_to_dict

from ops.testing.product.load import Load
from ops.testing.stack import Stack
from ops.testing.waiting import wait_for

_WAITING_APPEND: Final = """
SELECT pid FROM pg_stat_activity JOIN pg_roles ON usename = rolname
WHERE wait_event = 'SyncRep' AND pg_has_role(rolname, 'fleetlog_writer', 'member')
"""
_SESSIONS: Final = "SELECT pid FROM pg_stat_activity WHERE usename = %s"
_PATIENCE_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Victim:
    """Something that can be killed."""

    part: str
    """The part of the product that it is, or belongs to."""
    kill: Callable[[Stack], int]
    """Kills it, and returns the process id that it had."""
    is_restarted: bool = True
    """Whether the launcher starts the part again."""
    loses_answer: bool = False
    """Whether it dies with a commit that somebody waits for."""


def _kill_session(stack: Stack, service: str) -> int:
    """Kill one of a service's database sessions; PostgreSQL then ends all others and recovers."""
    role = conninfo_to_dict(stack.dsn(service))["user"]
    deadline = time.monotonic() + _PATIENCE_SECONDS
    with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
        while not (rows := connection.execute(_SESSIONS, [role]).fetchall()):
            if time.monotonic() > deadline:  # it is still coming back from the last kill
                raise TimeoutError(f"{service} has no session")
            time.sleep(0.02)
    pid: int = random.choice(rows)[0]  # noqa: S311
    os.kill(pid, signal.SIGKILL)
    return pid


def _kill_api_before_answer(stack: Stack) -> int:
    """Kill the command API before it learns of its commit: clients must ask again."""
    pid = stack.pid("command-api")
    with _append_committed_but_unknown(stack):
        os.kill(pid, signal.SIGKILL)
    return pid


def _kill_session_before_answer(stack: Stack) -> int:
    """Kill the appending session before it tells of its commit: the command API must ask again."""
    with _append_committed_but_unknown(stack) as session:
        os.kill(session, signal.SIGKILL)
    return session


@contextmanager
def _append_committed_but_unknown(stack: Stack) -> Iterator[int]:
    """Catch an append whose commit is on disk, but not known to its client; gives its session's process id.

    A commit that waits for a standby that does not exist is in just that state.
    """
    _configure(stack, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try:
        with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
            yield _waiting_append(connection)
    finally:
        _configure(stack, "ALTER SYSTEM RESET synchronous_standby_names")


def _configure(stack: Stack, statement: LiteralString) -> None:
    """Change PostgreSQL's configuration, if need be after its recovery."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
                connection.execute(statement)
                connection.execute("SELECT pg_reload_conf()")
                return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _waiting_append(connection: psycopg.Connection) -> int:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        row = connection.execute(_WAITING_APPEND).fetchone()
        if row:
            return int(row[0])
        time.sleep(0.005)
    raise TimeoutError("no append waits for the standby that does not exist")


SERVICES: Final = ("command-api", "query-api", "projections")

VICTIMS: Final[Mapping[str, Victim]] = {
    **{part: Victim(part, partial(Stack.kill, part=part)) for part in (*SERVICES, "gateway", "postgres")},
    **{
        f"session of {service}": Victim(
            "postgres", partial(_kill_session, service=service), is_restarted=False
        )
        for service in SERVICES
    },
    "command-api before it answers": Victim("command-api", _kill_api_before_answer, loses_answer=True),
    "session before it answers": Victim(
        "postgres", _kill_session_before_answer, is_restarted=False, loses_answer=True
    ),
}
"""By what a test's report calls them."""


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
    began = await asyncio.to_thread(kill_and_wait, stack, victim)
    await load.see_a_write()
    return time.monotonic() - began


def kill_and_wait(stack: Stack, victim: str) -> float:
    """Kill something, wait until its part is back, and return when it was killed; see `kill`."""
    killed = VICTIMS[victim]
    pid = killed.kill(stack)
    began = time.monotonic()
    # PostgreSQL's sessions outlive its postmaster by a moment, and what they acknowledge proves nothing.
    wait_for(lambda: not psutil.pid_exists(pid))
    if killed.is_restarted:
        stack.wait_until_back(killed.part, pid)
    return began
