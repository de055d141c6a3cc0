"""Responses of the feed: batches, and streams to the head or for as long as the reader may."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlencode

import psycopg
import structlog
from fastapi import Request
from psycopg_pool import PoolTimeout
from starlette.responses import Response

from ops.base.http.consistency import CONSISTENCY_HEADER, STALE, LogPosition
from ops.base.http.protocol import Connection, connection_of
from ops.base.sign_in import VerifiedToken
from ops.base.sign_in.claims import LEEWAY
from ops.base.sign_in.long_responses import notify_revocation, require_valid_token
from projections.public_events.asyncapi.channels import FEED_PATH
from query_api.feed.cursor import Cursor
from query_api.feed.formats import MEDIA_TYPES, Lines, ServerSentEvents, batch
from query_api.feed.newest import Newest
from query_api.feed.outlet import Outlet, Streamed
from query_api.feed.parameters import FeedParameters
from query_api.feed.reading import FeedEvent
from query_api.feed.settings import FeedSettings
from query_api.freshness.waiting import ProjectionProgress
from query_api.http.answers import sent
from query_api.http.representation import Body
from query_api.reading.source import PART_BYTES


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


_KEPT_IN_LINKS: Final = ("format", "entity", "type", "limit", "wait")


@dataclass(frozen=True)
class Visit:
    """One who reads, and how far the feed was when they came."""

    asked: FeedParameters
    cursor: Cursor
    progress: ProjectionProgress
    newest: Newest
    until: datetime
    """When their token expires."""
    fresh: bool
    """Whether what they have written can be read."""

    @property
    def media_type(self) -> str:
        """Of the answer."""
        return MEDIA_TYPES[self.asked.format]

    @property
    def headers(self) -> dict[str, str]:
        """Of the answer, whatever is in it."""
        return {
            "Cache-Control": "private, no-store",
            "Vary": "Authorization, Accept, Accept-Encoding",
            # For nginx: what is sent is passed on at once, and no faster than it is taken.
            **({} if self.asked.format == "batch" else {"X-Accel-Buffering": "no"}),
            **({} if self.fresh else {CONSISTENCY_HEADER: STALE}),
        }


def life_of(token: VerifiedToken, moment: datetime) -> datetime:
    """Return when an answer to a token's bearer must end.

    A token that has expired by our clock, and was let in because clocks differ, lives as long as that
    difference may be.
    """
    if token.expires_at > moment:
        return token.expires_at
    return token.expires_at + timedelta(seconds=LEEWAY)


async def answer_batch(request: Request, visit: Visit, settings: FeedSettings) -> Response:
    """Answer with a batch, and with where the next one begins."""
    asked, cursor = visit.asked, visit.cursor
    connection = connection_of(request.scope)
    with notify_revocation(request.scope, connection.tell_ending):
        found = await read_batch(
            cursor,
            newest=visit.newest,
            head=visit.progress.position,
            limit=asked.limit,
            wait_seconds=min(asked.wait, (visit.until - datetime.now(UTC)).total_seconds()),
            patience_seconds=settings.patience_seconds,
            connection=connection,
        )
    require_valid_token(request.scope)
    headers = visit.headers
    headers["Link"] = _next_link(request, LogPosition(visit.progress.log_id, cursor.position))
    return await sent(request, Body(batch(found)), headers, visit.media_type)


def answer_stream(visit: Visit, settings: FeedSettings) -> Response:
    """Answer with a stream."""
    asked, cursor, progress = visit.asked, visit.cursor, visit.progress

    async def write(outlet: Outlet) -> bool:
        if asked.format == "ndjson" and asked.follow == "false":
            return await write_up_to(outlet, cursor, progress.position)
        sse = ServerSentEvents(progress.log_id, settings.retry_seconds)
        return await follow(
            outlet,
            cursor,
            sse if asked.format == "sse" else Lines(),
            newest=visit.newest,
            head=progress.position,
            heartbeat_seconds=settings.heartbeat_seconds,
        )

    return Streamed(
        write,
        expires_at=visit.until,
        stall_seconds=settings.stall_seconds,
        headers=visit.headers,
        media_type=visit.media_type,
    )


def _next_link(request: Request, place: LogPosition) -> str:
    kept = [item for item in request.query_params.multi_items() if item[0] in _KEPT_IN_LINKS]
    query = urlencode([("after", str(place)), *kept], safe=":,")
    return f'<{FEED_PATH}?{query}>; rel="next"'
