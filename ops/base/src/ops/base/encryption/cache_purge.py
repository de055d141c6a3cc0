"""Services delete cached keys and personal data from memory on request, and confirm it.

An erasure raises a number in the database (`request_purge`). Each process is notified, and also polls once a
second (`ops.base.database.log_watch`); its heartbeat reports the last number that it handled. The process
then restarts in place (`ops.base.http.server`), because freed memory is not overwritten.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Final, Literal, NamedTuple

from psycopg import AsyncConnection

from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import CACHE_SECONDS, KEYS

PURGE_CHANNEL: Final = "fleetlog_forget"
_REQUEST: Final = f"""
WITH raised AS (UPDATE privacy.cache_purges SET number = number + 1 RETURNING number)
SELECT number, pg_notify('{PURGE_CHANNEL}', '') FROM raised
"""  # noqa: S608 - our own
# A process that has lost the database purges its caches before it counts as gone. One that has confirmed may
# have ended since, to restart.
_ACKNOWLEDGEMENTS: Final = """
SELECT instance, name, CASE
    WHEN forgotten >= %s THEN 'forgotten'
    WHEN health = 'ended' THEN 'gone'
    WHEN seen_at < clock_timestamp() - make_interval(secs => %s) THEN 'gone'
    ELSE 'awaited'
  END, seen_at
FROM operations.services ORDER BY instance
"""


class Acknowledgement(NamedTuple):
    """Whether a process has purged its caches."""

    instance: str
    service: str
    state: Literal["forgotten", "gone", "awaited"]
    """Gone: the process has ended, or sent no heartbeat for so long that its caches have expired."""
    at: datetime
    """Time of the last heartbeat."""


async def request_purge(connection: AsyncConnection) -> int:
    """Ask all services to purge their caches once this transaction is committed; return the request's number.

    Raises:
        psycopg.Error: the request cannot be written.
    """
    row = await (await connection.execute(_REQUEST)).fetchone()
    if row is None:
        raise AssertionError("the migrations insert the only row")
    return int(row[0])


async def load_acknowledgements(connection: AsyncConnection, number: int) -> list[Acknowledgement]:
    """Return the state of a request in each process of the last day; raises `psycopg.Error`.

    Args:
        connection: to the database, as one of the workers' roles.
    """
    rows = await (await connection.execute(_ACKNOWLEDGEMENTS, [number, CACHE_SECONDS])).fetchall()
    return [Acknowledgement(*row) for row in rows]


class CachePurge:
    """The purge requests that one process has handled.

    Attributes:
        number: the last request; None: none was read yet.
        purged: set after a purge; the heartbeat clears it when it has reported the number.
        restart: restarts the process; None: the process does not restart.
    """

    def __init__(
        self,
        on_purge: Callable[[], None] = lambda: None,
        *,
        defers_restart: Callable[[], bool] = lambda: False,
    ) -> None:
        """Create the state of a process.

        Args:
            on_purge: clears the service's other caches; called also before the service has started.
            defers_restart: returns whether the process cannot, or need not, restart now.
        """
        self.restart: Callable[[], None] | None = None
        self.number: int | None = None
        self.purged = asyncio.Event()
        self._defers_restart = defers_restart
        self._is_due = False
        self._on_purge = on_purge

    def clear(self) -> None:
        """Drop keys, and everything that was decrypted with them."""
        KEYS.clear()
        ACTORS.clear()
        self._on_purge()

    def update(self, number: int) -> None:
        """Purge if the number has changed; a restored database may have a lower one."""
        if number != self.number:
            self._is_due = self.number is not None
            self.clear()
            self.number = number
            self.purged.set()
        elif self._is_due and self.restart is not None and not self._defers_restart():
            self._is_due = False
            self.restart()
