"""What is in the backups of a running product."""

from typing import Final

import psycopg

from ops.testing.stack import Stack
from ops.testing.waiting import wait_for

_STREAMED: Final = """
SELECT coalesce(bool_and(flush_lsn >= pg_current_wal_flush_lsn()), false) FROM pg_stat_replication
"""


def wait_until_streamed(stack: Stack) -> None:
    """Wait until all that is committed is in the write-ahead log that its backups keep."""
    with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
        wait_for(lambda: connection.execute(_STREAMED).fetchone() == (True,))
