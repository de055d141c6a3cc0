"""Services delete cached keys and personal data from memory on request, and confirm it.

An erasure raises a number in the database (`request_purge`). Each process is notified, and also polls once
a second (`ops.base.database.log_watch`); its heartbeat reports the last number that it handled. The process
then restarts in place (`ops.base.process.restart`), because freed memory is not overwritten.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Final, Literal, NamedTuple

from psycopg import AsyncConnection

from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import CACHE_SECONDS, KEYS

PURGE_CHANNEL: Final = "fleetlog_forget"
_RAISE: Final = f"""
WITH raised AS (UPDATE privacy.forgettings SET number = number + 1 RETURNING number)
SELECT number, pg_notify('{PURGE_CHANNEL}', '') FROM raised
"""  # noqa: S608 - our own
# A process that cannot hear the database forgets by itself, before it is taken for gone. Who has forgotten
# may have ended by then, to begin anew.
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
    """What is known of one process."""

    instance: str
    service: str
    state: Literal["forgotten", "gone", "awaited"]
    """Gone: it has ended, or has said nothing for so long that it holds nothing any more."""
    at: datetime
    """When it was last heard of."""


async def request_purge(connection: AsyncConnection) -> int:
    """Have all services forget, as soon as this is committed, and return the number of it.

    Raises:
        psycopg.Error: it cannot be written.
    """
    row = await (await connection.execute(_RAISE)).fetchone()
    if row is None:
        raise AssertionError("the migrations make the only row")
    return int(row[0])


async def load_acknowledgements(connection: AsyncConnection, number: int) -> list[Acknowledgement]:
    """Return which processes have forgotten, of those that were there within a day.

    Args:
        connection: to the database, as one of the workers' roles.
        number: what `request_purge` gave.

    Raises:
        psycopg.Error: it cannot be read.
    """
    rows = await (await connection.execute(_ACKNOWLEDGEMENTS, [number, CACHE_SECONDS])).fetchall()
    return [Acknowledgement(*row) for row in rows]


class CachePurge:
    """What one process has forgotten.

    Attributes:
        number: up to which number; None: it has not looked yet.
        purged: set when it has, for whoever tells of it to clear.
        restart: has the process begin anew; None: it is not one that does.
    """

    def __init__(
        self,
        on_purge: Callable[[], None] = lambda: None,
        *,
        defers_restart: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begin, having forgotten nothing.

        Args:
            on_purge: drops what the service holds beside keys; it may be called before the service is there.
            defers_restart: whether the process need not begin anew, or cannot yet.
        """
        self.restart: Callable[[], None] | None = None
        self._goes_on = defers_restart
        self._is_due = False
        self.number: int | None = None
        self.purged = asyncio.Event()
        self._on_purge = on_purge

    def clear(self) -> None:
        """Hold neither keys nor what was opened with them."""
        KEYS.clear()
        ACTORS.clear()
        self._on_purge()

    def update(self, number: int) -> None:
        """Forget if the number is another one: a database that was restored may be behind."""
        if number != self.number:
            self._is_due = self.number is not None
            self.clear()
            self.number = number
            self.purged.set()
        elif self._is_due and self.restart is not None and not self._goes_on():
            self._is_due = False
            self.restart()
