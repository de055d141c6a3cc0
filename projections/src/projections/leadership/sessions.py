"""Database sessions that the server ends when their client has silently disappeared."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from psycopg import AsyncConnection

from ops.base.database.connection import connect

SILENCE_SECONDS: Final = 3.0
"""A worker sends a statement every second; one that is silent for this long is frozen or disconnected."""

ANSWER_SECONDS: Final = 10.0
"""Time after which a worker gives up a server that does not answer, and reconnects."""

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
    """Open a connection in autocommit mode that the server closes, with its locks, when the client is gone.

    Args:
        answer_seconds: limit of each answer, and of each transaction; None: no limit.
        silence_seconds: limit of silence outside transactions, and of unread answers.

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
    unread_seconds: float = SILENCE_SECONDS,
    transaction_seconds: float | None = None,
) -> None:
    """Make the server end this session, and release its locks, when its client is silent.

    A machine without network, or a frozen process, does not close its connection: its locks would survive for
    hours. Without a transaction limit the server may work for any time. Silence in the middle of a long
    statement, which takes several messages, counts as work: only the transaction limit ends such a session.

    Args:
        connection: in autocommit mode.
        idle_seconds: limit of silence between transactions.
        unread_seconds: limit of the time for which an answer is not read.
        transaction_seconds: limit of a transaction; None: no limit.
    """
    milliseconds = {
        "idle": idle_seconds,
        "in_transaction": SILENCE_SECONDS,
        "unread": unread_seconds,
        "transaction": transaction_seconds or 0,
    }
    await connection.execute(_SET, {name: f"{round(1000 * value)}ms" for name, value in milliseconds.items()})
