"""Advisory locks: whom a session keeps from doing the same. They end with the session at the latest.

They only spare work. What makes an event count once is the position (see `positions`).
"""

import zlib
from typing import Final

from psycopg import AsyncConnection

from projections.tables import ReadTable

NAMESPACE: Final = 0x466C65
"""First half of our locks' keys, "Fle": keeps them apart from others in the same database."""


def lead_key(table: ReadTable) -> int:
    """Return the second half of the key, below 2³¹, that is locked by who does a projection's work."""
    return _key(table.name)


def rebuild_key(table: ReadTable) -> int:
    """Return the second half of the key, below 2³¹, that is locked by who rebuilds a projection's table."""
    return _key(f"rebuild {table.name}")


def refill_key(table: ReadTable) -> int:
    """Return the second half of the key, below 2³¹, that is locked by who fills a table's search terms."""
    return _key(f"refill {table.name}")


SEAL_KEY: Final = zlib.crc32(b"seal") & 0x7FFF_FFFF
"""Second half of the key that is locked by who seals the log."""

ERASE_KEY: Final = zlib.crc32(b"erase") & 0x7FFF_FFFF
"""Second half of the key that is locked by who carries erasures out."""

RELAY_KEY: Final = zlib.crc32(b"relay") & 0x7FFF_FFFF
"""Second half of the key that is locked by who publishes to Kafka."""

SHARE_KEY: Final = zlib.crc32(b"share") & 0x7FFF_FFFF
"""Second half of the key that is locked by who hands a projection over to another worker."""

HELD: Final = """
SELECT classid::bigint AS namespace, objid::bigint AS key, pid FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""The locks that all sessions hold: both halves of their keys, and the server process that has them."""


async def try_to_lock(connection: AsyncConnection, key: int, *, namespace: int = NAMESPACE) -> bool:
    """Take a lock for as long as the connection lives, unless another connection holds it."""
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s::int, %s::int)", (namespace, key))
    row = await cursor.fetchone()
    return bool(row and row[0])


async def unlock(connection: AsyncConnection, key: int) -> None:
    """Give a lock back."""
    await connection.execute("SELECT pg_advisory_unlock(%s::int, %s::int)", (NAMESPACE, key))


def _key(name: str) -> int:
    return zlib.crc32(name.encode()) & 0x7FFF_FFFF
