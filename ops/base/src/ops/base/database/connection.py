"""A connection to PostgreSQL on which no wait is endless, not even for a server that has fallen silent."""

import asyncio
from typing import Any, Final, TypeVar

import psycopg
from psycopg import waiting
from psycopg.abc import PQGen

ANSWER_SECONDS: Final = 5.0
"""What a statement of a service may take that people wait for, directly or not."""

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
    """No answer came in time; the connection was closed, and what became of the statement is unknown."""


class BoundedConnection(psycopg.AsyncConnection[tuple[Any, ...]]):
    """A connection that is closed when an answer takes too long, or is no longer waited for.

    Keepalives notice a peer that is gone, but not one that takes what is sent and never answers: a frozen
    server, or a middlebox that has forgotten the connection. A time-out around a statement is no remedy, for
    psycopg asks the server to cancel what is cancelled here, and waits for that.

    Attributes:
        answer_seconds: the longest wait for the server within a statement; None: endless, and what is
            cancelled here is cancelled there, and the connection can be used further.
    """

    answer_seconds: float | None = None

    async def wait(
        self,
        gen: PQGen[T],
        interval: float = 0.1,
        timeout: float | None = None,  # noqa: ASYNC109 - the base class's
    ) -> T:
        """Wait for the server: everything that psycopg asks of it comes by here.

        Raises:
            ServerSilent: there was no answer in time.
        """
        limit = self.answer_seconds if timeout is None else timeout
        if limit is None:
            return await super().wait(gen, interval)
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval=interval, timeout=limit)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise
        except psycopg.errors._WaitTimeout:  # noqa: SLF001 - there is no public name for it
            if timeout is not None:
                raise
            self.pgconn.finish()
            raise ServerSilent(f"no answer in {limit} s") from None


async def connect(
    dsn: str, *, autocommit: bool = False, answer_seconds: float | None = None
) -> BoundedConnection:
    """Open one connection that notices a dead peer within half a minute.

    Args:
        dsn: where to connect.
        autocommit: whether each statement is a transaction.
        answer_seconds: what a statement may take, see `BoundedConnection`.

    Raises:
        psycopg.OperationalError: the server cannot be reached.
    """
    connection = await BoundedConnection.connect(dsn, autocommit=autocommit, **KEEPALIVE)
    connection.answer_seconds = answer_seconds
    return connection
