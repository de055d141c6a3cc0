"""What the OpenAPI document says of the feed."""

import json
from datetime import datetime
from typing import Any, Final

from starlette.responses import Response

from ops.base.http.openapi import header, problem_responses
from ops.base.records.entities import EntityType, entity_type
from projections.public_events.asyncapi.attributes import envelope_schema
from projections.public_events.envelope import Origin, PublicEvent
from projections.public_events.schemas import current_schemas
from query_api.feed.formats import MEDIA_TYPES
from query_api.feed.parameters import LAST_EVENT_ID
from query_api.feed.settings import FeedSettings
from query_api.history.documentation import REQUEST_ID
from query_api.history.points import MOMENT
from query_api.http.openapi import (
    ANY_PROBLEM,
    CONSISTENCY,
    CONSISTENCY_PARAMETERS,
    TEXT,
    example_of,
    headers_of_answer,
)

_LOG_ID: Final = "0123456789abcdef0123456789abcdef"
_LAST_EVENT_ID: Final = header(
    LAST_EVENT_ID,
    "The last `id` that a stream has told; counts more than `after`",
    {"type": "string", "pattern": "^([0-9a-f]{32}:[0-9]{1,18})?$"},
    example=f"{_LOG_ID}:42",
)

_DESCRIPTION: Final = f"""The same events, in the order of the log, in three formats, by `Accept` or `format`:

- `{MEDIA_TYPES["sse"]}` never ends by itself. `id` is where to go on from; an `id` without data tells how far
  the stream has looked. `Last-Event-ID` counts more than `after`.
- `{MEDIA_TYPES["ndjson"]}` ends at the head as it was at the beginning, unless it is to `follow`; then an
  empty line now and then shows that it is alive. An answer that could not be completed is cut short.
- `{MEDIA_TYPES["batch"]}` is one array, and the header `Link` leads to the next one. With `wait`, an array is
  empty only if nothing came in so many seconds.

A stream ends when its token expires, or its reader is signed out. It is sent as fast as it is taken; who
takes nothing for a minute is cut off. A position of another log, or one that the log has not reached, is
refused (409): begin anew."""


def of_feed(settings: FeedSettings) -> dict[str, Any]:
    """Describe the feed."""
    most = settings.streams_per_subject
    return {
        "name": "events",
        "response_class": Response,  # else the document tells of JSON, too
        "summary": "What happens, without personal data",
        "description": f"{_DESCRIPTION}\n\nOne subject may have {most} streams, and batches that wait,"
        " at one server at once; more are refused (429).",
        "responses": {
            200: _found(),
            **problem_responses(401, 406, 409, 422, 503),
            "default": ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": [_LAST_EVENT_ID, *CONSISTENCY_PARAMETERS[1:]]},
    }


def _found() -> dict[str, Any]:
    link = {"description": "With a batch: the next one, `rel=next`", "schema": TEXT}
    return {
        "description": "Events",
        "headers": headers_of_answer("private, no-store", {"Link": link, **CONSISTENCY}),
        "content": {
            MEDIA_TYPES["batch"]: {
                "schema": {"type": "array", "items": envelope_schema()},
                "example": [_example(entity_type("horse"))],
            },
            MEDIA_TYPES["ndjson"]: {"schema": TEXT},
            MEDIA_TYPES["sse"]: {"schema": TEXT},
        },
    }


def _example(entity: EntityType) -> Any:
    """Return an event as the feed may send it: the registration of an entity type's example."""
    kind = f"{entity.name}.registered"
    (schema,) = (schema for name, schema in current_schemas().items() if f".{kind}." in name)
    actor = {"id": "9c0e5a7d3b1f4e2886d0c4b2a7f1e593"}
    shown = {**entity.example, "version": 1, "actor": actor, "request_id": REQUEST_ID, "masked": ["owner"]}
    data = example_of(schema, shown)
    place = (42, entity.name, entity.example["id"], kind, datetime.fromisoformat(MOMENT))
    event = PublicEvent(*place, data["schema_version"], json.dumps(data))
    return json.loads(Origin(_LOG_ID, "https://fleet.example").structured(event))
