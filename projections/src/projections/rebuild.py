"""Emptying a read table so that the running worker fills it anew from the log."""

import asyncio
from collections.abc import Callable
from typing import Final

from psycopg import AsyncConnection

from projections import positions
from projections.log import APPENDED_CHANNEL
from projections.status import Status, read_statuses
from projections.tables import ReadTable

WORKER_PATIENCE_SECONDS: Final = 5.0
"""Long enough for a spare to take over, or for a restarted worker to be back."""
_LOOK_SECONDS: Final = 0.2


async def empty(connection: AsyncConnection, table: ReadTable) -> None:
    """Empty a table and set its projection back to the beginning of the log, in one transaction.

    Args:
        connection: in autocommit mode.
        table: the projection's table.

    Raises:
        NewerVersion: a later release fills the table.
    """
    await positions.prepare(connection, table, rebuild=True)
    await connection.execute("SELECT pg_notify(%s, '')", (APPENDED_CHANNEL,))  # wakes the worker


async def wait_until_filled(
    connection: AsyncConnection,
    table: ReadTable,
    report: Callable[[Status], None],
    *,
    patience_seconds: float = WORKER_PATIENCE_SECONDS,
) -> bool:
    """Wait until the projection has handled every event that the log holds now.

    Args:
        connection: in autocommit mode.
        table: the projection's table.
        report: told how far the projection is, several times a second.
        patience_seconds: how long to wait for a worker when none runs.

    Returns:
        False when no worker runs: the table will be filled as soon as one does.
    """
    clock = asyncio.get_running_loop().time
    target, worker_seen = None, clock()
    while True:
        (status,) = await read_statuses(connection, [table])
        target = status.head if target is None else target
        report(status)
        if status.position >= target:
            return True
        if status.worker:
            worker_seen = clock()
        elif clock() - worker_seen > patience_seconds:
            return False
        await asyncio.sleep(_LOOK_SECONDS)
