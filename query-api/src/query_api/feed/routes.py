"""The feed's route."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from ops.base.http.consistency import LogPosition
from ops.base.http.direct_routes import direct_router
from ops.base.http.limits import Limit
from ops.base.http.problems import Problem, unavailable
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken
from projections.public_events.asyncapi.channels import FEED_PATH
from projections.tables import REVISIONS
from query_api.feed import documentation
from query_api.feed.answering import Visit, answer_batch, answer_stream, life_of
from query_api.feed.cursor import Cursor, Feed
from query_api.feed.parameters import FeedParameters, Start
from query_api.feed.settings import FeedSettings
from query_api.freshness.progress import ProjectionProgress
from query_api.http.openapi import add_query
from query_api.http.requests import is_fresh, now
from query_api.reading.readers import readers_of

MayFollow = Annotated[VerifiedToken, Depends(Requires(Permission.FEED_READ))]


def feed_routes(settings: FeedSettings) -> APIRouter:
    """Build the route."""
    router = direct_router(tags=["feed"])
    of_subject = Limit("streams-of-subject", settings.streams_per_subject)
    of_all = Limit("streams", settings.streams)

    async def read_events(
        request: Request, token: MayFollow, asked: Annotated[FeedParameters, Query()]
    ) -> Response:
        if asked.lasts and request.method != "HEAD":
            of_subject.take(request.scope, token.actor.sub)
            of_all.take(request.scope)
        fresh = await is_fresh(request, REVISIONS)
        progress = await readers_of(request).projections.progress(REVISIONS.name)
        if 0 < progress.version < REVISIONS.version:
            # Seen again at each reading: what an earlier release wrote may show what is masked now.
            raise unavailable("The events are being prepared for this release.", retry_after=10)
        feed: Feed = request.app.state.feed
        cursor = Cursor(feed, progress.log_id, asked.filter, first_position(asked.start, progress))
        visit = Visit(asked, cursor, progress, feed.newest, life_of(token, now()), fresh=fresh)
        if request.method == "HEAD":
            return Response(headers=visit.headers, media_type=visit.media_type)
        if asked.format == "batch":
            return await answer_batch(request, visit, settings)
        return answer_stream(visit, settings)

    add_query(router, FEED_PATH, read_events, documentation.of_feed(settings))
    return router


def first_position(after: Start, progress: ProjectionProgress) -> int:
    """Return the position after which a reader begins.

    Args:
        after: what they asked for.
        progress: of the revisions.

    Raises:
        Problem: 409, it is one of another log, or one that this log has not reached: it has been restored
            from an older backup. Who went on from there would miss what has taken its place.
    """
    if after == "head":
        return progress.position
    place = after if isinstance(after, LogPosition) else LogPosition(progress.log_id, after)
    if place.log_id != progress.log_id:
        detail = "That is a position of another log. Begin anew, with after=0."
    elif place.position > progress.head:
        detail = "The log has not come that far; it may have been restored. Begin anew, with after=0."
    else:
        return place.position
    extensions = {"log_id": progress.log_id, "head": progress.position}
    raise Problem(409, "not-in-this-log", detail, extensions=extensions)
