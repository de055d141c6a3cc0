"""Fills the next table: one connection reads the log while another writes."""

import asyncio
from collections.abc import Callable
from typing import Final

from psycopg import AsyncConnection

from ops.base.encryption.key_cache import KEYS
from ops.base.process.failpoints import failpoint
from projections.engine.batch import Target, apply
from projections.engine.projection import Projection
from projections.engine.states import StateCache
from projections.event_log import BATCH_EVENTS, ConnectionSession, EventBatch, read_batch, read_head
from projections.failures import KeysNotConfigured
from projections.leadership.sessions import SILENCE_SECONDS
from projections.progress import positions

Report = Callable[[int], None]
"""Called with the position that has been reached."""

FILL_EVENTS: Final = 5_000
FILL_BYTES: Final = 4_000_000
FILL_IDLE_SECONDS: Final = 60

_SETTINGS: Final = """
SELECT set_config('idle_in_transaction_session_timeout', %s, false),
       set_config('synchronous_commit', %s, false)
"""


async def fill(
    reader: AsyncConnection,
    writer: AsyncConnection,
    projection: Projection,
    report: Report,
    cache: StateCache | None = None,
) -> None:
    """Fill a projection's empty table from the start of the log until less than a batch is left.

    Args:
        reader: in autocommit mode.
        writer: another connection, in autocommit mode.
        projection: a projection with an empty table, at position 0.
        cache: the streams' states; None: a cache of default size.

    Raises:
        LogGap: an event is missing from the log.
        KeysNotConfigured: the log is encrypted, and no key store is configured.
    """
    cache = StateCache() if cache is None else cache
    session = ConnectionSession(writer)
    place = await positions.read_place(writer, projection.table)

    def read(after: int) -> asyncio.Task[EventBatch]:
        limits = {"max_events": FILL_EVENTS, "max_bytes": FILL_BYTES}
        return asyncio.create_task(
            read_batch(ConnectionSession(reader), after=after, prefix=projection.prefix, **limits)
        )

    # Folding between the statements of a transaction may take long, and no reader waits for the next table.
    # After a crash of the server the rebuild starts again, so its commits need not wait for the disk.
    await writer.execute(_SETTINGS, (f"{FILL_IDLE_SECONDS}s", "off"))
    upcoming = read(0)
    try:
        while batch := await upcoming:
            if not KEYS.is_configured and any(event.key_id for event in batch.events):
                raise KeysNotConfigured
            # The batch's length does not decide, because its size may have limited it.
            is_last = await read_head(reader) - batch.to < BATCH_EVENTS
            if not is_last:  # read the next batch while this one is folded
                upcoming = read(batch.to)
            if await apply(session, [Target(projection, place)], batch, cache) < batch.to:
                raise positions.PositionTaken
            place = place._replace(position=batch.to)
            report(batch.to)
            failpoint("rebuild.batch_written")
            if is_last:
                break
    finally:
        upcoming.cancel()
        await asyncio.gather(upcoming, return_exceptions=True)
    await writer.execute(_SETTINGS, (f"{round(SILENCE_SECONDS)}s", "on"))
