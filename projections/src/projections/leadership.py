"""One worker per projection, the others spare: a lock that ends with its connection.

The lock only spares the others the work. What makes an event count once is the position (see `positions`).
"""

import zlib
from typing import Final

from psycopg import AsyncConnection

from projections.tables import ReadTable

_NAMESPACE: Final = 0x466C65  # "Fle": keeps our locks apart from others in the same database

SILENCE_SECONDS: Final = 10
"""A leader asks for events every second; one that has been silent for so long is dead or frozen.

A leader gives up a silent server after as long: sooner would not help, since its lock lives until then."""


def lock_key(table: ReadTable) -> tuple[int, int]:
    """Return the two halves of the projection's advisory lock key, each below 2³¹."""
    return _NAMESPACE, zlib.crc32(table.name.encode()) & 0x7FFF_FFFF


async def try_to_lead(connection: AsyncConnection, table: ReadTable) -> bool:
    """Take the projection's lock for as long as the connection lives, unless another connection holds it."""
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s::int, %s::int)", lock_key(table))
    row = await cursor.fetchone()
    return bool(row and row[0])


async def end_when_silent(connection: AsyncConnection, seconds: int = SILENCE_SECONDS) -> None:
    """Let the server end this session, and with it the lock, when its worker is gone without saying so.

    A machine that lost its network or a stopped process closes nothing: its lock would live on for hours.
    """
    await connection.execute(
        "SELECT set_config(name, %s, false)"
        " FROM unnest(ARRAY['idle_session_timeout', 'idle_in_transaction_session_timeout']) AS name",
        (f"{seconds}s",),
    )
