"""One step of a projection: the next events become rows, and each event counts exactly once."""

from collections.abc import Sequence
from typing import Final

from psycopg import AsyncConnection

from projections import metrics, positions
from projections.failures import EventNotApplied
from projections.log import BATCH_EVENTS, StoredEvent, read_batch
from projections.projection import Projection
from projections.tables import PROJECTED_CHANNEL

_NOTIFY: Final = "SELECT pg_notify(%s, %s)"


async def apply_next_events(
    connection: AsyncConnection, projection: Projection, *, max_events: int = BATCH_EVENTS
) -> int:
    """Apply the next batch of events, if there is any.

    What comes before an event that cannot be applied is applied; the next call then stops at that event.

    Args:
        connection: in autocommit mode.
        projection: what to apply them to.
        max_events: the most events to apply at once.

    Returns:
        How many events were applied.

    Raises:
        PositionTaken: somebody else has moved the projection meanwhile; nothing was written.
        ProjectionStopped: the next event cannot be applied. (A later issue quarantines its stream here.)
    """
    after = await positions.read(connection, projection.table)
    batch = await read_batch(connection, after=after, max_events=max_events)
    while batch:
        try:
            await _commit(connection, projection, batch, after=after)
        except EventNotApplied as failure:
            applicable = [event for event in batch if event.position < failure.position]
            if not applicable:
                raise
            batch = applicable
        else:
            break
    return len(batch)


async def _commit(
    connection: AsyncConnection, projection: Projection, batch: Sequence[StoredEvent], *, after: int
) -> None:
    table, last = projection.table, batch[-1]
    async with connection.transaction():
        await positions.advance(connection, table, expected=after, to=last.position, moment=last.moment)
        changed = await projection.handle(connection, batch)
        if changed is not None:
            await positions.mark_changed(connection, table, changed)
    # After the commit: within it, NOTIFY would make all committing transactions of the database queue up.
    await connection.execute(_NOTIFY, (PROJECTED_CHANNEL, f"{table.name}:{last.position}"))
    metrics.BATCHES.labels(table.name).inc()
    metrics.EVENTS.labels(table.name).inc(len(batch))
