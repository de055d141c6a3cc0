"""Connections to PostgreSQL: a pool that recovers by itself, and a listener that reconnects for ever."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Final, TypeVar

import psycopg
import structlog
from psycopg_pool import AsyncConnectionPool, PoolTimeout, TooManyRequests

from ops.base.database.connection import ANSWER_SECONDS, KEEPALIVE, BoundedConnection, ServerSilent, connect
from ops.base.database.pool_metrics import POOLS

__all__ = ["Pool", "connect", "listen", "open_pool", "read_with"]

logger = structlog.get_logger()

T = TypeVar("T")

STATEMENT_SECONDS: Final = 4
"""What a read may take on the server, which tells of it; a longer silence is not the statement's fault."""
HEARTBEAT_SECONDS: Final = 2.0
_FINAL: Final = (psycopg.errors.QueryCanceled, TooManyRequests)


class Pool(AsyncConnectionPool[BoundedConnection]):
    """A pool of connections, all of which are replaced when one of them has proved dead."""

    def __init__(
        self,
        dsn: str,
        *,
        size: int,
        answer_seconds: float,
        wait_seconds: float,
        most_waiting: int,
        settings: Mapping[str, str],
    ) -> None:
        """Describe a pool; see `open_pool`, which opens it."""
        super().__init__(
            dsn,
            connection_class=BoundedConnection,
            configure=self._prepare,
            kwargs={"autocommit": True, **KEEPALIVE},
            min_size=size,
            max_size=size,
            # The pool's own attempts back off by whole seconds, doubling; asking it again does not.
            timeout=wait_seconds,
            max_waiting=most_waiting,
            # Who waits already does not ask again: it tries for as long as they wait.
            reconnect_timeout=max(1.0, wait_seconds),
            open=False,
        )
        self._answer_seconds = answer_seconds
        self._settings = {"statement_timeout": f"{STATEMENT_SECONDS}s", **settings}
        self._replaced_at = 0.0

    async def read(self, read: Callable[[BoundedConnection], Awaitable[T]], *, patience: float = 5.0) -> T:
        """Read over one of its connections; see `read_with`."""
        return await read_with(self, read, patience=patience)

    async def replace_those_before(self, moment: float) -> None:
        """Replace all connections, unless that has been done since a moment of the monotonic clock."""
        if self._replaced_at < moment:
            self._replaced_at = time.monotonic()
            await self.drain()

    async def _prepare(self, connection: BoundedConnection) -> None:
        connection.answer_seconds = self._answer_seconds
        await connection.execute(
            "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS set (name, value)",
            (list(self._settings), list(self._settings.values())),
        )


@asynccontextmanager
async def open_pool(
    dsn: str,
    *,
    size: int,
    answer_seconds: float = ANSWER_SECONDS,
    wait_seconds: float = 1.0,
    most_waiting: int = 0,
    settings: Mapping[str, str] = MappingProxyType({}),
    server: str = "primary",
) -> AsyncIterator[Pool]:
    """Open a pool of autocommit connections; it does not wait for the server.

    Read through `read_with`, which bears the server's restarts and a network that comes and goes.

    Args:
        dsn: where to connect.
        size: the number of connections.
        answer_seconds: how long the server may be silent.
        wait_seconds: how long to wait for a connection that is in use, before asking again.
        most_waiting: how many may wait for one; the next is refused at once. 0: any number.
        settings: of PostgreSQL, for its sessions.
        server: what metrics are to call it.
    """
    pool = Pool(
        dsn,
        size=size,
        answer_seconds=answer_seconds,
        wait_seconds=wait_seconds,
        most_waiting=most_waiting,
        settings=settings,
    )
    POOLS.watch(pool, server)
    await pool.open(wait=False)
    try:
        yield pool
    finally:
        await pool.close()


async def read_with(
    pool: Pool,
    read: Callable[[BoundedConnection], Awaitable[T]],
    *,
    patience: float = 5.0,
) -> T:
    """Read over a connection of the pool; again over another one when the server ended it.

    Where the server was silent the patience may be over, but one more attempt, with a new connection, tells
    whether it still is. So in the worst case it takes twice as long as an answer may take, and a bit more.

    Args:
        pool: where connections come from.
        read: does the reading; it may be called several times, so it must not write.
        patience: seconds after which the last error is raised.

    Raises:
        psycopg.OperationalError: the server cannot be reached.
        psycopg_pool.PoolTimeout: all connections are in use, or the server cannot be reached.
        psycopg_pool.TooManyRequests: as many wait for one as may.
    """
    deadline = time.monotonic() + patience
    silences = 0
    while True:
        began = time.monotonic()
        try:
            connection = await pool.getconn()
            try:
                return await read(connection)
            finally:
                await pool.putconn(connection)
        except ServerSilent:
            # The others lead the same way; to wait for each of them to prove it would take minutes.
            await pool.replace_those_before(began)
            silences += 1
            if silences > 1 and time.monotonic() > deadline:
                raise
        except (psycopg.OperationalError, PoolTimeout) as error:
            if isinstance(error, _FINAL) or time.monotonic() > deadline:
                raise
        await asyncio.sleep(0.02)


async def is_there(connection: BoundedConnection) -> Callable[[], None]:
    """Ask whether the server is still there, and nothing more; see `listen`."""
    await connection.execute("SELECT 1")
    return lambda: None


async def listen(
    dsn: str,
    channel: str,
    on_notify: Callable[[str], None],
    *,
    on_lost: Callable[[], None] = lambda: None,
    look: Callable[[BoundedConnection], Awaitable[Callable[[], None]]] = is_there,
    retry_seconds: float = 0.5,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
    answer_seconds: float = ANSWER_SECONDS,
) -> None:
    """Call `on_notify` with the payload of every notification on `channel`, for ever.

    It also calls it with an empty payload after each (re)connection, since notifications may have been missed
    before. Cancel the task to end it.

    Args:
        dsn: where to connect.
        channel: a channel name; it must be a plain identifier.
        on_notify: called in the event loop; must not block.
        on_lost: called when it does not hear any more, before it tries to connect again.
        look: asks the server something over the same connection, at first and at each heartbeat, and returns
            what is to be called when `on_notify` has been called for all that the server told before it
            answered.
        retry_seconds: pause before reconnecting.
        heartbeat_seconds: after how long it asks again.
        answer_seconds: how long the server may take to answer.
    """
    while True:
        try:
            async with await connect(dsn, autocommit=True, answer_seconds=answer_seconds) as connection:
                await connection.execute(psycopg.sql.SQL("LISTEN {}").format(psycopg.sql.Identifier(channel)))
                on_notify("")
                while True:
                    answered = await look(connection)
                    await _tell(connection, on_notify, seconds=0)  # what came with the answer
                    answered()
                    await _tell(connection, on_notify, seconds=heartbeat_seconds)
        except psycopg.OperationalError as error:
            logger.warning("listener_lost", channel=channel, error=type(error).__name__)
        finally:
            on_lost()
        await asyncio.sleep(retry_seconds)


async def _tell(connection: BoundedConnection, on_notify: Callable[[str], None], *, seconds: float) -> None:
    async for notification in connection.notifies(timeout=seconds):
        on_notify(notification.payload)
