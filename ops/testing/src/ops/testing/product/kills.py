"""`kill -9`, and the time until the product has recovered."""

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, LiteralString

import psutil
import psycopg
from psycopg.conninfo import conninfo_to_dict

from ops.testing.conditions import wait_for
from ops.testing.product.load import Load
from ops.testing.stack import Stack

_WAITING_APPEND: Final = """
SELECT pid FROM pg_stat_activity JOIN pg_roles ON usename = rolname
WHERE wait_event = 'SyncRep' AND pg_has_role(rolname, 'fleetlog_writer', 'member')
"""
_SESSIONS: Final = "SELECT pid FROM pg_stat_activity WHERE usename = %s"
_PATIENCE_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Victim:
    """A process that can be killed."""

    service: str
    """The service that it is, or belongs to."""
    kill: Callable[[Stack], int]
    """Kills the process and returns its pid."""
    is_restarted: bool = True
    """Whether the launcher restarts the service."""
    loses_answer: bool = False
    """Whether a client loses the answer to a committed command."""


def _wait_for_pids(connection: psycopg.Connection, query: LiteralString, *parameters: Any) -> list[int]:
    """Return the pids that a query selects, as soon as there are any."""
    rows = wait_for(
        lambda: connection.execute(query, parameters).fetchall(),
        seconds=_PATIENCE_SECONDS,
        failure=lambda: query,
    )
    return [pid for (pid,) in rows]


def _kill_session(stack: Stack, service: str) -> int:
    """Kill one of a service's database sessions, after which PostgreSQL ends all others and recovers."""
    role = conninfo_to_dict(stack.dsn(service))["user"]
    with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
        pid = random.choice(_wait_for_pids(connection, _SESSIONS, role))  # noqa: S311
    os.kill(pid, signal.SIGKILL)
    return pid


def _kill_api_before_answer(stack: Stack) -> int:
    """Kill the command API before it receives the result of its commit, so that clients must retry."""
    pid = stack.pid("command-api")
    with _append_committed_but_unknown(stack):
        os.kill(pid, signal.SIGKILL)
    return pid


def _kill_session_before_answer(stack: Stack) -> int:
    """Kill the appending session before it reports its commit, so that the command API must retry."""
    with _append_committed_but_unknown(stack) as session:
        os.kill(session, signal.SIGKILL)
    return session


@contextmanager
def _append_committed_but_unknown(stack: Stack) -> Iterator[int]:
    """Yield the pid of a session whose append is on disk, but not yet acknowledged.

    A commit that waits for a synchronous standby that does not exist is in this state.
    """
    _configure(stack, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try:
        with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
            yield _wait_for_pids(connection, _WAITING_APPEND)[0]
    finally:
        _configure(stack, "ALTER SYSTEM RESET synchronous_standby_names")


def _configure(stack: Stack, statement: LiteralString) -> None:
    """Change PostgreSQL's configuration, after its recovery if necessary."""

    def change() -> bool:
        try:
            with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
                connection.execute(statement)
                connection.execute("SELECT pg_reload_conf()")
        except psycopg.OperationalError:
            return False
        return True

    wait_for(change, seconds=_PATIENCE_SECONDS)


SERVICES: Final = ("command-api", "query-api", "projections", "notify")

VICTIMS: Final[Mapping[str, Victim]] = {
    **{
        service: Victim(service, partial(Stack.kill, service=service))
        for service in (*SERVICES, "gateway", "postgres")
    },
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
"""Victims by their names in reports."""


async def kill(stack: Stack, victim: str, load: Load) -> float:
    """Kill one of `VICTIMS` under load, and wait until the product has recovered.

    Returns:
        The seconds until the service was back and a later write could be read.

    Raises:
        TimeoutError: the product has not recovered.
    """
    began = await asyncio.to_thread(kill_and_wait, stack, victim)
    await load.see_a_write()
    return time.monotonic() - began


def kill_and_wait(stack: Stack, victim: str) -> float:
    """Kill one of `VICTIMS`, wait until its service is back, and return the time of the kill."""
    killed = VICTIMS[victim]
    pid = killed.kill(stack)
    began = time.monotonic()
    # PostgreSQL's sessions outlive its postmaster by a moment; a write through one of them proves nothing.
    wait_for(lambda: not psutil.pid_exists(pid))
    if killed.is_restarted:
        stack.wait_until_back(killed.service, pid)
    return began
