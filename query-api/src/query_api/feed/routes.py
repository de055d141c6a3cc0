"""The feed's route."""

import json
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from ops.base.http.consistency import LogPosition
from ops.base.http.direct_routes import direct_router
from ops.base.http.limits import Limit
from ops.base.http.openapi import example_of, header
from ops.base.http.problems import Problem, unavailable
from ops.base.permissions import Permission
from ops.base.records.entities import entity_type
from ops.base.sign_in import Requires, VerifiedToken
from query_api.database.readers import readers_of
from query_api.feed.cursor import Cursor
from query_api.feed.formats import MEDIA_TYPES
from query_api.feed.parameters import LAST_EVENT_ID, FeedParameters, Start
from query_api.feed.responses import FeedRequest, answer_batch, answer_stream, expiry_of
from query_api.freshness.read_your_writes import ProjectionProgress, is_fresh
from query_api.history.models import REQUEST_ID
from query_api.history.parameters import MOMENT
from query_api.http.openapi import TEXT, query
from query_api.settings import FeedSettings
from read_model.public_events.asyncapi import FEED_PATH, envelope_schema
from read_model.public_events.envelope import Origin, PublicEvent
from read_model.public_events.schemas import current_schemas
from read_model.tables import REVISIONS

_LOG_ID: Final = "0123456789abcdef0123456789abcdef"
_LAST_EVENT_ID: Final = header(
    LAST_EVENT_ID,
    "The last `id` of a stream; takes precedence over `after`",
    {"type": "string", "pattern": "^([0-9a-f]{32}:[0-9]{1,18})?$"},
    example=f"{_LOG_ID}:42",
)

MayFollow = Annotated[VerifiedToken, Depends(Requires(Permission.FEED_READ))]


def feed_routes(settings: FeedSettings) -> APIRouter:
    """Build the route."""
    router = direct_router(tags=["feed"])
    of_subject = Limit("streams-of-subject", settings.streams_per_subject)
    of_all = Limit("streams", settings.streams)

    batches = {"schema": {"type": "array", "items": envelope_schema()}, "example": [_example()]}

    @query(
        router,
        FEED_PATH,
        "events",
        {
            MEDIA_TYPES["batch"]: batches,
            **{MEDIA_TYPES[name]: {"schema": TEXT} for name in ("ndjson", "sse")},
        },
        cache_control="private, no-store",
        headers={"Link": {"description": "With a batch: the next one, `rel=next`", "schema": TEXT}},
        parameters=[_LAST_EVENT_ID],
        refusals=(406, 409),
    )
    async def read_events(
        request: Request, token: MayFollow, params: Annotated[FeedParameters, Query()]
    ) -> Response:
        """Read the public events, without personal data.

        The same events, in the order of the log, in three formats, by `Accept` or `format`:

        - `text/event-stream` does not end by itself. `id` is the position to resume from; an `id` without
          data reports progress. `Last-Event-ID` takes precedence over `after`.
        - `application/x-ndjson` ends at the position that was the last at the beginning unless `follow` is
          given; then empty lines are sent as a heartbeat. An answer that cannot be completed is cut short.
        - `application/cloudevents-batch+json` is one array, and the header `Link` refers to the next one.
          With `wait`, an array is empty only if no event came within that number of seconds.

        A stream ends when its token expires or the user signs out. A client that reads nothing for a minute
        is disconnected. The number of streams and waiting batches of a subject at one server is limited
        (429). A position of another log, or one beyond the log's end, is refused (409): start again from 0.
        """
        if params.lasts and request.method != "HEAD":
            of_subject.take(request.scope, token.actor.sub)
            of_all.take(request.scope)
        fresh = await is_fresh(request, REVISIONS)
        progress = await readers_of(request).projections.progress(REVISIONS.name)
        if 0 < progress.version < REVISIONS.version:
            # An earlier release may have published what is masked now; `EventReader` checks each batch, too.
            raise unavailable("The events are being rebuilt for this release.", retry_after=10)
        cursor = Cursor(
            request.app.state.feed, progress.log_id, params.filter, first_position(params.start, progress)
        )
        feed_request = FeedRequest(params, cursor, progress, expiry_of(token, datetime.now(UTC)), fresh=fresh)
        if request.method == "HEAD":
            return Response(headers=feed_request.headers, media_type=feed_request.media_type)
        if params.format == "batch":
            return await answer_batch(request, feed_request, settings)
        return answer_stream(feed_request, settings)

    return router


def first_position(after: Start, progress: ProjectionProgress) -> int:
    """Return the position after which a reader begins.

    Raises:
        Problem: 409, the position is of another log, or after the head because the log was restored from a
            backup. A reader that continued from there would miss events.
    """
    if after == "head":
        return progress.position
    place = after if isinstance(after, LogPosition) else LogPosition(progress.log_id, after)
    if place.log_id != progress.log_id:
        detail = "The position is of another log. Start again with after=0."
    elif place.position > progress.head:
        detail = (
            "The position is after the end of this log, perhaps a restored one. Start again with after=0."
        )
    else:
        return place.position
    extensions = {"log_id": progress.log_id, "head": progress.position}
    raise Problem(409, "not-in-this-log", detail, extensions=extensions)


def _example() -> Any:
    """Return the public event of the registration of an example record."""
    entity = entity_type("horse")
    kind = f"{entity.name}.registered"
    (schema,) = (schema for name, schema in current_schemas().items() if f".{kind}." in name)
    actor = {"id": "9c0e5a7d3b1f4e2886d0c4b2a7f1e593"}
    shown = {**entity.example, "version": 1, "actor": actor, "request_id": REQUEST_ID, "masked": ["owner"]}
    data = example_of(schema, shown)
    place = (42, entity.name, entity.example["id"], kind, datetime.fromisoformat(MOMENT))
    event = PublicEvent(*place, data["schema_version"], json.dumps(data))
    return json.loads(Origin(_LOG_ID, "https://fleet.example").structured(event))
