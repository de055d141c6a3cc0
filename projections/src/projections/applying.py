"""One step of a projection: the next events become rows, and each event counts exactly once."""

from collections.abc import Sequence
from typing import Final

from psycopg import AsyncConnection

from ops.base.failpoints import failpoint
from projections import metrics, positions
from projections.log import StoredEvent
from projections.projection import Projection
from projections.tables import PROJECTED_CHANNEL, ReadTable

_NOTIFY: Final = "SELECT pg_notify(%s, %s)"


async def apply_events(
    connection: AsyncConnection, projection: Projection, batch: Sequence[StoredEvent]
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
    reached = batch[-1].position
    # What needs no answer is sent together with what follows. BEGIN and COMMIT are statements here, for
    # `transaction()` would wait for the answer to each.
    try:
        async with connection.pipeline():
            await connection.execute("BEGIN")
            await apply_batch(connection, projection, batch)
            await connection.execute("COMMIT")
            # After the commit: within it, NOTIFY would make all committing transactions queue up.
            await notify(connection, projection.table, reached)
    except Exception:
        await connection.rollback()
        raise
    failpoint("projection.committed")
    metrics.BATCHES.labels(projection.table.name).inc()
    metrics.EVENTS.labels(projection.table.name).inc(len(batch))
    return reached


async def apply_batch(
    connection: AsyncConnection, projection: Projection, batch: Sequence[StoredEvent]
) -> None:
    """Write what events change, and the position.

    Args:
        connection: in a transaction.
        projection: what to apply them to.
        batch: the events that follow its position.

    Raises:
        PositionTaken: they do not follow its position any more.
    """
    table, last = projection.table, batch[-1]
    await positions.advance(
        connection, table, expected=batch[0].position - 1, to=last.position, moment=last.moment
    )
    failpoint("projection.position_moved")
    changed = await projection.handle(connection, batch)
    if changed is not None:
        await positions.mark_changed(connection, table, changed)
    failpoint("projection.rows_written")


async def notify(connection: AsyncConnection, table: ReadTable, position: int) -> None:
    """Tell those who wait for the projection that it is there."""
    await connection.execute(_NOTIFY, (PROJECTED_CHANNEL, f"{table.name}:{position}"))
