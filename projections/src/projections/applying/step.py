"""One step of a projection: the next events become rows, and each event counts exactly once."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import psycopg
from psycopg import AsyncConnection, sql

from command_api.event_store.records import RecordedEvent
from ops.base.failpoints import failpoint
from projections import metrics
from projections.applying.causes import tracing_of_batch
from projections.applying.projection import Projection
from projections.progress import positions
from projections.tables import PROJECTED_CHANNEL, ReadTable
from projections.tables.projected import Projected

_BEGIN: Final = sql.SQL("BEGIN; {}")
_COMMIT: Final = sql.SQL("{}; COMMIT; {}")
_NOTIFY: Final = sql.SQL("SELECT pg_notify({}, {})")


async def apply_events(
    connection: AsyncConnection, projection: Projection, batch: Sequence[RecordedEvent]
) -> int:
    """Apply events, and tell those who wait for them.

    Args:
        connection: in autocommit mode.
        projection: what to apply them to.
        batch: the events that follow its position, without a gap; at least one.

    Returns:
        The position reached.

    Raises:
        PositionTaken: somebody else has moved the projection meanwhile; nothing was written.
    """
    with tracing_of_batch(projection.table, batch):
        return await _apply(connection, projection, batch)


async def _apply(connection: AsyncConnection, projection: Projection, batch: Sequence[RecordedEvent]) -> int:
    table, after, reached = projection.table, batch[0].position - 1, batch[-1].position
    streams = (event.originator_id for event in batch)
    told = Projected.of([table.name], after=after, to=reached, streams=streams)
    # What needs no answer of its own is one message with what follows. A pipeline would make fewer still, but
    # where its end is lost, the server waits for it without its time-outs, and keeps all locks.
    try:
        cursor = await connection.execute(_BEGIN.format(positions.advancing(table, batch)), prepare=False)
        cursor.nextset()
        positions.require_advanced(cursor)
        failpoint("projection.position_moved")
        changed = await projection.handle(connection, batch)
        failpoint("projection.rows_written")
        marking = sql.SQL("") if changed is None else positions.marking_changed(table, changed)
        # After the commit: within it, NOTIFY would make all committing transactions queue up.
        await connection.execute(_COMMIT.format(marking, _notifying(told)), prepare=False)
    except BaseException:  # also where it is interrupted: others need the locks
        with suppress(psycopg.Error):  # a connection that is lost needs none
            await connection.rollback()
        raise
    failpoint("projection.committed")
    metrics.BATCHES.labels(table.name).inc()
    metrics.EVENTS.labels(table.name).inc(len(batch))
    return reached


async def apply_within(
    connection: AsyncConnection, projection: Projection, batch: Sequence[RecordedEvent]
) -> None:
    """Write what events change, and the position, in a transaction of the caller's.

    Args:
        connection: in the transaction.
        projection: what to apply them to.
        batch: the events that follow its position.

    Raises:
        PositionTaken: they do not follow its position any more.
    """
    positions.require_advanced(await connection.execute(positions.advancing(projection.table, batch)))
    changed = await projection.handle(connection, batch)
    if changed is not None:
        await connection.execute(positions.marking_changed(projection.table, changed))


async def notify_renewed(connection: AsyncConnection, table: ReadTable, position: int) -> None:
    """Tell those who read the table that any of its rows may have changed, without a next event."""
    await connection.execute(_notifying(Projected((table.name,), position, position)))


def _notifying(told: Projected) -> sql.Composed:
    return _NOTIFY.format(sql.Literal(PROJECTED_CHANNEL), sql.Literal(told.payload))
