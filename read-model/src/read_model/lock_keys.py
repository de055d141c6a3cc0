"""Keys of the session-level advisory locks that the workers hold, and that the status reads."""

import zlib
from typing import Final

from read_model.tables import ReadTable

NAMESPACE: Final = 0x466C65
"""First half of the lock keys, "Fle": separates them from other locks in the database."""


def _key(name: str) -> int:
    return zlib.crc32(name.encode()) & 0x7FFF_FFFF


def lead_key(table: ReadTable) -> int:
    """Return the key of the worker that applies events to a table; below 2³¹, as all second halves."""
    return _key(table.name)


def rebuild_key(table: ReadTable) -> int:
    """Return the key of the process that rebuilds a table."""
    return _key(f"rebuild {table.name}")


def refill_key(table: ReadTable) -> int:
    """Return the key of the process that refills a table's search terms."""
    return _key(f"refill {table.name}")


SEAL_KEY: Final = _key("seal")
"""Held by the process that seals the log."""
ERASE_KEY: Final = _key("erase")
"""Held by the process that executes erasures."""
RELAY_KEY: Final = _key("relay")
"""Held by the process that publishes to Kafka."""
NOTIFY_KEY: Final = _key("notify")
"""Held by the process that delivers notifications."""

HELD: Final = """
SELECT classid::bigint AS namespace, objid::bigint AS key, pid FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""All advisory locks of the database: both halves of their keys, and the server process that holds them."""
