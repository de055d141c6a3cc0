"""Responses of the feed: batches with long polling, and streams."""

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
from ops.base.http.long_responses import notify_revocation, require_valid_token
from ops.base.http.protocol import Connection, connection_of
from ops.base.sign_in import VerifiedToken
from ops.base.sign_in.claims import LEEWAY
from query_api.database.source import PART_BYTES
from query_api.feed.cursor import Cursor
from query_api.feed.formats import MEDIA_TYPES, Lines, ServerSentEvents
from query_api.feed.parameters import FeedParameters
from query_api.feed.reader import FeedEvent
from query_api.feed.stream import StreamResponse, StreamWriter
from query_api.freshness.read_your_writes import ProjectionProgress
from query_api.http.answers import sent
from query_api.http.representation import Body
from query_api.settings import FeedSettings
from read_model.public_events.asyncapi import FEED_PATH

logger = structlog.get_logger()

_LINK_PARAMETERS: Final = ("format", "entity", "type", "limit", "wait")


@dataclass(frozen=True)
class FeedRequest:
    """A request to the feed, and the feed's progress when it arrived."""

    parameters: FeedParameters
    cursor: Cursor
    progress: ProjectionProgress
    until: datetime
    """When the token expires."""
    fresh: bool
    """Whether the client's last write can be read."""

    @property
    def media_type(self) -> str:
        """Media type of the answer."""
        return MEDIA_TYPES[self.parameters.format]

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the answer."""
        return {
            "Cache-Control": "private, no-store",
            "Vary": "Authorization, Accept, Accept-Encoding",
            # nginx passes streams on at once, and no faster than the client reads.
            **({} if self.parameters.format == "batch" else {"X-Accel-Buffering": "no"}),
            **({} if self.fresh else {CONSISTENCY_HEADER: STALE}),
        }


def expiry_of(token: VerifiedToken, moment: datetime) -> datetime:
    """Return when an answer to a token's bearer must end.

    A token that has expired by this server's clock was accepted within the leeway for clock differences, and
    is valid for that leeway.
    """
    if token.expires_at > moment:
        return token.expires_at
    return token.expires_at + timedelta(seconds=LEEWAY)


async def answer_batch(request: Request, feed_request: FeedRequest, settings: FeedSettings) -> Response:
    """Return a batch, with a link to the next one."""
    cursor, connection = feed_request.cursor, connection_of(request.scope)
    with notify_revocation(request.scope, connection.request_end):
        events = await _read_batch(feed_request, settings.patience_seconds, connection)
    require_valid_token(request.scope)
    kept = [item for item in request.query_params.multi_items() if item[0] in _LINK_PARAMETERS]
    place = LogPosition(feed_request.progress.log_id, cursor.position)
    query = urlencode([("after", str(place)), *kept], safe=":,")
    headers = {**feed_request.headers, "Link": f'<{FEED_PATH}?{query}>; rel="next"'}
    body = Body(b"[%b]" % b",\n".join(event.json for event in events))  # CloudEvents JSON format, section 4
    return await sent(request, body, headers, feed_request.media_type)


async def _read_batch(
    feed_request: FeedRequest, patience_seconds: float, connection: Connection
) -> list[FeedEvent]:
    """Read a batch; if no event follows, wait for one until the client's `wait` or the connection ends.

    A search for rare events ends after `patience_seconds`, with the events found so far.
    """
    cursor, limit = feed_request.cursor, feed_request.parameters.limit
    wait_seconds = min(feed_request.parameters.wait, (feed_request.until - datetime.now(UTC)).total_seconds())
    head = feed_request.progress.position
    found: list[FeedEvent] = []
    began = time.monotonic()
    while len(found) < limit and cursor.position < head:
        found += await cursor.advance(head, limit=limit - len(found))
        is_full = sum(len(event.json) for event in found) > PART_BYTES
        if is_full or time.monotonic() - began > patience_seconds:
            break
    if found or cursor.position < head or not wait_seconds:
        return found
    recent = cursor.recent
    generation, wakeup = recent.generation, asyncio.Event()
    connection.on_ending(wakeup.set)
    with recent.subscribed(wakeup):
        while not connection.ending and generation == recent.generation:
            wakeup.clear()
            while cursor.position < recent.head:
                if found := list(await cursor.advance(recent.head, limit=limit)):
                    return found
            try:
                async with asyncio.timeout(began + wait_seconds - time.monotonic()):
                    await wakeup.wait()
            except TimeoutError:
                break
    return []


def answer_stream(feed_request: FeedRequest, settings: FeedSettings) -> Response:
    """Return a stream."""
    parameters, progress = feed_request.parameters, feed_request.progress

    async def write(writer: StreamWriter) -> bool:
        if parameters.format == "ndjson" and parameters.follow == "false":
            return await _write_up_to_head(writer, feed_request)
        sse = ServerSentEvents(progress.log_id, settings.retry_seconds)
        await _follow(
            writer, feed_request, sse if parameters.format == "sse" else Lines(), settings.heartbeat_seconds
        )
        return True  # a stream that follows is complete wherever it ends

    return StreamResponse(
        write,
        expires_at=feed_request.until,
        stall_seconds=settings.stall_seconds,
        headers=feed_request.headers,
        media_type=feed_request.media_type,
    )


async def _write_up_to_head(writer: StreamWriter, feed_request: FeedRequest) -> bool:
    """Write lines up to the request's head; return whether all could be written."""
    lines, cursor, head = Lines(), feed_request.cursor, feed_request.progress.position
    events = await _advance(writer, cursor, head)
    while writer.ended is None and (events or cursor.position < head):
        # The next events are read while these are sent, so that database and service work at the same time.
        reading = asyncio.create_task(_advance(writer, cursor, head))
        try:
            await writer.send(lines.events(events))
        finally:
            events = await reading
    return writer.ended is None


async def _follow(
    writer: StreamWriter, feed_request: FeedRequest, form: Lines, heartbeat_seconds: float
) -> None:
    """Write events until the stream must end."""
    cursor, head = feed_request.cursor, feed_request.progress.position
    recent = cursor.recent
    generation = recent.generation
    await writer.send(form.opening(cursor.position))
    silent_since = time.monotonic()
    with recent.subscribed(writer.wakeup):
        while writer.ended is None:
            writer.wakeup.clear()
            if recent.generation != generation:
                writer.stop("replaced")
                break
            upto = max(head, recent.head)
            events = await _advance(writer, cursor, upto)
            if events:
                await writer.send(form.events(events))
                silent_since = time.monotonic()
            elif cursor.position >= upto:
                await writer.wait(silent_since + heartbeat_seconds - time.monotonic())
            if time.monotonic() - silent_since >= heartbeat_seconds:
                await writer.send(form.heartbeat(cursor.position))
                silent_since = time.monotonic()
    await writer.send(form.ending(writer.ended))


async def _advance(writer: StreamWriter, cursor: Cursor, upto: int) -> Sequence[FeedEvent]:
    try:
        return await cursor.advance(upto)
    except (psycopg.OperationalError, PoolTimeout) as error:
        logger.warning("feed_ended", error=type(error).__name__)
        writer.stop("unavailable")
        return []
