"""Connections to PostgreSQL: a pool that recovers by itself, and a listener that reconnects for ever."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import psycopg
import structlog
from psycopg_pool import AsyncConnectionPool, PoolTimeout

logger = structlog.get_logger()

T = TypeVar("T")

_KEEPALIVE = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}


async def connect(dsn: str, *, autocommit: bool = False) -> psycopg.AsyncConnection:
    """Open one connection that notices a dead peer within half a minute.

    Raises:
        psycopg.OperationalError: the server cannot be reached.
    """
    return await psycopg.AsyncConnection.connect(dsn, autocommit=autocommit, **_KEEPALIVE)  # type: ignore[arg-type]


@asynccontextmanager
async def open_pool(dsn: str, *, size: int) -> AsyncIterator[AsyncConnectionPool]:
    """Open a pool of autocommit connections; it does not wait for the server.

    Read through `read_with`, which bears the server's restarts.

    Args:
        dsn: where to connect.
        size: the number of connections.
    """
    pool = AsyncConnectionPool(
        dsn,
        kwargs={"autocommit": True, **_KEEPALIVE},
        min_size=size,
        max_size=size,
        # The pool's own attempts and checks back off by whole seconds, doubling; asking it again does not.
        timeout=1.0,
        reconnect_timeout=1.0,
        open=False,
    )
    await pool.open(wait=False)
    try:
        yield pool
    finally:
        await pool.close()


async def read_with(
    pool: AsyncConnectionPool,
    read: Callable[[psycopg.AsyncConnection], Awaitable[T]],
    *,
    patience: float = 5.0,
) -> T:
    """Read over a connection of the pool; again over another one when the server ended it.

    Args:
        pool: where connections come from.
        read: does the reading; it may be called several times, so it must not write.
        patience: seconds after which the last error is raised.

    Raises:
        psycopg.OperationalError: the server cannot be reached.
        psycopg_pool.PoolTimeout: all connections are in use, or the server cannot be reached.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            async with pool.connection() as connection:
                return await read(connection)
        except (psycopg.OperationalError, PoolTimeout) as error:
            if isinstance(error, psycopg.errors.QueryCanceled) or time.monotonic() > deadline:
                raise
        await asyncio.sleep(0.02)


async def listen(
    dsn: str, channel: str, on_notify: Callable[[str], None], *, retry_seconds: float = 0.5
) -> None:
    """Call `on_notify` with the payload of every notification on `channel`, for ever.

    It also calls it with an empty payload after each (re)connection, since notifications may have been missed
    before. Cancel the task to end it.

    Args:
        dsn: where to connect.
        channel: a channel name; it must be a plain identifier.
        on_notify: called in the event loop; must not block.
        retry_seconds: pause before reconnecting.
    """
    while True:
        try:
            async with await connect(dsn, autocommit=True) as connection:
                await connection.execute(psycopg.sql.SQL("LISTEN {}").format(psycopg.sql.Identifier(channel)))
                on_notify("")
                async for notification in connection.notifies():
                    on_notify(notification.payload)
        except psycopg.OperationalError as error:
            logger.warning("listener_lost", channel=channel, error=type(error).__name__)
        await asyncio.sleep(retry_seconds)
