"""Database sessions that end when their client is gone without saying so."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from psycopg import AsyncConnection

from ops.base.database.connection import connect

SILENCE_SECONDS: Final = 3.0
"""A follower asks for something once a second; one that has been silent for so long is frozen or cut off."""

ANSWER_SECONDS: Final = 10.0
"""A follower gives up a server that works on a statement, or is silent, for so long, and connects again."""

_SET: Final = """
SELECT set_config('idle_session_timeout', %(idle)s, false),
       set_config('idle_in_transaction_session_timeout', %(in_transaction)s, false),
       set_config('tcp_user_timeout', %(unread)s, false),
       set_config('transaction_timeout', %(transaction)s, false)
"""


@asynccontextmanager
async def open_session(
    dsn: str, *, answer_seconds: float | None = ANSWER_SECONDS, silence_seconds: float = SILENCE_SECONDS
) -> AsyncIterator[AsyncConnection]:
    """Open a connection in autocommit mode whose locks others need not wait for when its client is gone.

    Args:
        dsn: where to connect.
        answer_seconds: how long the server may take to answer, and a transaction in all; None: as long as it
            likes.
        silence_seconds: the longest silence outside of transactions, and the longest time for which an answer
            may lie unread.

    Raises:
        psycopg.OperationalError: the server cannot be reached.
    """
    async with await connect(dsn, autocommit=True, answer_seconds=answer_seconds) as connection:
        await end_when_silent(
            connection,
            idle_seconds=silence_seconds,
            unread_seconds=silence_seconds,
            transaction_seconds=answer_seconds,
        )
        yield connection


async def end_when_silent(
    connection: AsyncConnection,
    *,
    idle_seconds: float = SILENCE_SECONDS,
    in_transaction_seconds: float = SILENCE_SECONDS,
    unread_seconds: float = SILENCE_SECONDS,
    transaction_seconds: float | None = None,
) -> None:
    """Let the server end this session, and with it its locks, when nothing is heard of its client.

    A machine that lost its network, or a stopped process, closes nothing: its locks would live on for hours.
    Only silence counts, unless transactions have a limit: a client is free to let the server work or wait for
    as long as it likes. But silence in the midst of a long statement, which goes out in several messages, is
    work to the server: only the limit ends it.

    Args:
        connection: in autocommit mode.
        idle_seconds: the longest silence between transactions.
        in_transaction_seconds: the longest silence within one.
        unread_seconds: the longest time for which an answer may lie unread.
        transaction_seconds: the longest a transaction may take; None: as long as it likes.
    """
    milliseconds = {
        "idle": idle_seconds,
        "in_transaction": in_transaction_seconds,
        "unread": unread_seconds,
        "transaction": transaction_seconds or 0,
    }
    await connection.execute(_SET, {name: f"{round(1000 * value)}ms" for name, value in milliseconds.items()})
