"""A PostgreSQL connection with a bound on every wait, even for a server that no longer answers."""

import asyncio
from typing import Any, Final, TypeVar

import psycopg
from psycopg import waiting
from psycopg.abc import PQGen

ANSWER_SECONDS: Final = 5.0
"""Time-out of statements for which users wait, directly or not."""

KEEPALIVE: Final[dict[str, Any]] = {
    "connect_timeout": 3,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""Parameters of every connection."""

T = TypeVar("T")


class ServerSilent(psycopg.OperationalError):
    """The server did not answer in time; the connection was closed, and the outcome is unknown."""


class BoundedConnection(psycopg.AsyncConnection[tuple[Any, ...]]):
    """A connection that is closed when an answer takes too long, or when its statement is cancelled.

    Keepalives detect a peer that is gone, but not one that accepts data and never answers: a frozen server,
    or a middlebox that has dropped the connection. A time-out around a statement does not help, because
    psycopg sends a cancel request to the server, and waits for the answer.

    Attributes:
        answer_seconds: the maximum wait for the server within a statement. None: unlimited; a cancelled
            statement is then cancelled on the server, and the connection stays usable.
    """

    answer_seconds: float | None = None

    async def wait(
        self,
        gen: PQGen[T],
        interval: float = 0.1,
        timeout: float | None = None,  # noqa: ASYNC109 - the base class's
    ) -> T:
        """Wait for the server; psycopg calls this for every exchange. Raises `ServerSilent`."""
        limit = self.answer_seconds if timeout is None else timeout
        if limit is None:
            return await super().wait(gen, interval)
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval=interval, timeout=limit)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise
        except psycopg.errors._WaitTimeout:  # noqa: SLF001 - has no public name
            if timeout is not None:
                raise
            self.pgconn.finish()
            raise ServerSilent(f"no answer in {limit} s") from None


async def connect(
    dsn: str, *, autocommit: bool = False, answer_seconds: float | None = None
) -> BoundedConnection:
    """Open a connection that detects a dead peer within half a minute; raises `psycopg.OperationalError`."""
    connection = await BoundedConnection.connect(dsn, autocommit=autocommit, **KEEPALIVE)
    connection.answer_seconds = answer_seconds
    return connection
