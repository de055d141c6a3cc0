"""Filling the next table: one connection reads the log while the other one writes."""

import asyncio
from collections.abc import Callable

from psycopg import AsyncConnection

from ops.base.failpoints import failpoint
from projections.applying.projection import Projection
from projections.progress import positions
from projections.reading.log import BATCH_EVENTS
from projections.rebuild.reading import read_stretch

Report = Callable[[int], None]
"""Told the position that has been reached."""


async def fill(
    reader: AsyncConnection, writer: AsyncConnection, projection: Projection, report: Report
) -> None:
    """Fill a projection's empty table from the beginning of the log until little is left to do.

    Args:
        reader: in autocommit mode.
        writer: another one, in autocommit mode.
        projection: whose table is empty, with a position of 0.
        report: notified of the progress.
    """
    filling = projection.filling(writer)
    position, last_stretch = 0, False
    upcoming = asyncio.create_task(read_stretch(reader, after=0, prefix=filling.prefix))
    try:
        while not last_stretch:
            events, last = await upcoming
            last_stretch = last - position < BATCH_EVENTS
            position = last
            if not last_stretch:  # the server finds the next stretch while this one is folded
                upcoming = asyncio.create_task(read_stretch(reader, after=last, prefix=filling.prefix))
            await filling.take(events)
            await positions.set_filled(writer, projection.table, position, changed=0)
            report(position)
            failpoint("rebuild.batch_written")
    finally:
        upcoming.cancel()
        await asyncio.gather(upcoming, return_exceptions=True)
    await positions.set_filled(writer, projection.table, position, changed=await filling.finish())
