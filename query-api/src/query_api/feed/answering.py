"""Answering one who reads the feed."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from ops.base.http.consistency import CONSISTENCY_HEADER, STALE, LogPosition
from ops.base.http.protocol import connection_of
from ops.base.sign_in import VerifiedToken
from ops.base.sign_in.claims import LEEWAY
from ops.base.sign_in.lasting import require_signed_in, when_signed_out
from projections.public_events.asyncapi.channels import FEED_PATH
from query_api.feed.batches import read_batch
from query_api.feed.cursor import Cursor
from query_api.feed.formats import MEDIA_TYPES, Lines, ServerSentEvents, batch
from query_api.feed.newest import Newest
from query_api.feed.outlet import Outlet, Streamed
from query_api.feed.parameters import FeedParameters
from query_api.feed.settings import FeedSettings
from query_api.feed.streams import follow, write_up_to
from query_api.freshness.progress import ProjectionProgress
from query_api.http.answers import sent
from query_api.http.requests import now
from query_api.prepared.kept import Body

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
    with when_signed_out(request.scope, connection.tell_ending):
        found = await read_batch(
            cursor,
            newest=visit.newest,
            head=visit.progress.position,
            limit=asked.limit,
            wait_seconds=min(asked.wait, (visit.until - now()).total_seconds()),
            patience_seconds=settings.patience_seconds,
            connection=connection,
        )
    require_signed_in(request.scope)
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
