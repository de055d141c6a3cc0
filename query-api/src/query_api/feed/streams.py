"""Writing streams: to the head, or for as long as the reader may and will."""

import asyncio
import time
from collections.abc import Sequence

import psycopg
import structlog
from psycopg_pool import PoolTimeout

from query_api.feed.cursor import Cursor
from query_api.feed.formats import Lines
from query_api.feed.newest import Newest
from query_api.feed.outlet import Outlet
from query_api.feed.reading import FeedEvent

logger = structlog.get_logger()


async def write_up_to(outlet: Outlet, cursor: Cursor, upto: int) -> bool:
    """Write lines up to a position.

    Returns:
        Whether they are all there. Whoever gets less must be able to tell.
    """
    lines = Lines()
    events = await _advance(outlet, cursor, upto)
    while outlet.ended is None and (events or cursor.position < upto):
        # The next part is read while this one is sent: database and service are busy at the same time.
        reading = asyncio.create_task(_advance(outlet, cursor, upto))
        try:
            await outlet.send(lines.events(events))
        finally:
            events = await reading
    return outlet.ended is None


async def follow(
    outlet: Outlet,
    cursor: Cursor,
    form: Lines,
    *,
    newest: Newest,
    head: int,
    heartbeat_seconds: float,
) -> bool:
    """Write events until the stream must end.

    Args:
        outlet: where to.
        cursor: where it begins.
        form: the format.
        newest: the feed's head.
        head: the head as it was when the cursor was made.
        heartbeat_seconds: the longest silence.

    Returns:
        True: a stream that follows is whole wherever it ends.
    """
    generation = newest.generation
    await outlet.send(form.opening(cursor.position))
    silent_since = time.monotonic()
    with newest.ringing(outlet.bell):
        while outlet.ended is None:
            outlet.bell.clear()
            if newest.generation != generation:
                outlet.stop("replaced")
                break
            upto = max(head, newest.head)
            events = await _advance(outlet, cursor, upto)
            if events:
                await outlet.send(form.events(events))
                silent_since = time.monotonic()
            elif cursor.position >= upto:
                await outlet.wait(silent_since + heartbeat_seconds - time.monotonic())
            if time.monotonic() - silent_since >= heartbeat_seconds:
                await outlet.send(form.heartbeat(cursor.position))
                silent_since = time.monotonic()
    await outlet.send(form.ending(outlet.ended))
    return True


async def _advance(outlet: Outlet, cursor: Cursor, upto: int) -> Sequence[FeedEvent]:
    try:
        return await cursor.advance(upto)
    except (psycopg.OperationalError, PoolTimeout) as error:
        logger.warning("feed_ended", error=type(error).__name__)
        outlet.stop("unavailable")
        return []
