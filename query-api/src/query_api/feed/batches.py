"""Answering batch by batch, with a long poll."""

import asyncio
import time

from ops.base.http.protocol import Connection
from query_api.feed.cursor import Cursor
from query_api.feed.newest import Newest
from query_api.feed.reading import FeedEvent
from query_api.reading.bounds import PART_BYTES


async def read_batch(
    cursor: Cursor,
    *,
    newest: Newest,
    head: int,
    limit: int,
    wait_seconds: float,
    patience_seconds: float,
    connection: Connection,
) -> list[FeedEvent]:
    """Read a batch; the cursor tells afterwards where the next one begins.

    Args:
        cursor: where it begins.
        newest: the feed's head.
        head: the head as it was when the cursor was made.
        limit: how many events at most; they are fewer where they are long.
        wait_seconds: for which it waits at the head, if there is nothing.
        patience_seconds: for which it looks for what is rare, before it answers with what there is.
        connection: ends the waiting when it ends.

    Returns:
        The events; empty where nothing came in time.
    """
    found: list[FeedEvent] = []
    began = time.monotonic()
    while len(found) < limit and cursor.position < head:
        found += await cursor.advance(head, limit=limit - len(found))
        is_full = sum(len(event.json) for event in found) > PART_BYTES
        if is_full or time.monotonic() - began > patience_seconds:
            break
    if found or cursor.position < head or not wait_seconds:
        return found
    return await _wait(cursor, newest, limit, began + wait_seconds, connection)


async def _wait(
    cursor: Cursor, newest: Newest, limit: int, until: float, connection: Connection
) -> list[FeedEvent]:
    generation = newest.generation
    bell = asyncio.Event()
    connection.on_ending(bell.set)
    with newest.ringing(bell):
        while not connection.ending and generation == newest.generation:
            bell.clear()
            while cursor.position < newest.head:
                found = list(await cursor.advance(newest.head, limit=limit))
                if found:
                    return found
            try:
                async with asyncio.timeout(until - time.monotonic()):
                    await bell.wait()
            except TimeoutError:
                break
    return []
