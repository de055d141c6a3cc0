"""What the OpenAPI document says of the feed."""

from typing import Any, Final

from pydantic import Field
from starlette.responses import Response

from ops.base.openapi import problem_responses
from query_api.feed.formats import MEDIA_TYPES
from query_api.feed.parameters import LAST_EVENT_ID
from query_api.feed.settings import FeedSettings
from query_api.openapi import ANY_PROBLEM, CONSISTENCY, CONSISTENCY_PARAMETERS, Closed

_LOG_ID: Final = "0123456789abcdef0123456789abcdef"
_TYPE: Final = "fleetlog.horse.details_changed.v2"
_TEXT: Final = {"type": "string"}
_LAST_EVENT_ID: Final = {
    "name": LAST_EVENT_ID,
    "in": "header",
    "required": False,
    "description": "The last `id` that a stream has told; counts more than `after`",
    "schema": {"type": "string", "pattern": "^([0-9a-f]{32}:[0-9]{1,18})?$"},
    "example": f"{_LOG_ID}:42",
}
_EXAMPLE: Final[dict[str, Any]] = {
    "specversion": "1.0",
    "id": f"{_LOG_ID}:42",
    "source": f"/fleetlog/{_LOG_ID}",
    "type": _TYPE,
    "subject": "HRS-009",
    "time": "2026-11-21T04:10:45.123456Z",
    "datacontenttype": "application/json",
    "dataschema": f"https://fleet.example/api/v1/schemas/{_TYPE}.json",
    "sequence": "0000000000000000042",
    "partitionkey": "HRS-009",
    "data": {
        "schema_version": 2,
        "type": "horse.details_changed",
        "entity": "horse",
        "id": "HRS-009",
        "version": 2,
        "actor": {"id": "9c0e5a7d3b1f4e2886d0c4b2a7f1e593"},
        "request_id": "3f2a9c4e7b1d4f6f8a0b5c6d7e8f9a0b",
        "changes": {"hired": {"from": "No", "to": "Yes"}},
        "masked": [],
    },
}


class CloudEvent(Closed):
    """A public event in its envelope (CloudEvents 1.0)."""

    specversion: str
    id: str = Field(description="`<log id>:<position>`; the same whenever and wherever the event is told")
    source: str
    type: str
    subject: str = Field(description="the entity's id")
    time: str
    datacontenttype: str
    dataschema: str = Field(description="where the data's JSON Schema is")
    sequence: str = Field(description="its position in the log; texts sort as positions do")
    partitionkey: str
    data: dict[str, Any] = Field(description="what is public of the event")


_DESCRIPTION: Final = f"""The same events, in the order of the log, in three formats, by `Accept` or `format`:

- `{MEDIA_TYPES["sse"]}` never ends by itself. `id` is where to go on from; an `id` without data tells how far
  the stream has looked. `Last-Event-ID` counts more than `after`.
- `{MEDIA_TYPES["ndjson"]}` ends at the head as it was at the beginning, unless it is to `follow`; then an
  empty line now and then shows that it is alive. An answer that could not be completed is cut short.
- `{MEDIA_TYPES["batch"]}` is one array, and the header `Link` leads to the next one. With `wait`, an array is
  empty only if nothing came in so many seconds.

A stream ends when its token expires. It is sent as fast as it is taken; who takes nothing for a minute is cut
off. A position of another log, or one that the log has not reached, is refused (409): begin anew."""


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
    return {
        "description": "Events",
        "headers": {
            "Link": {"description": "With a batch: the next one, `rel=next`", "schema": _TEXT},
            "Cache-Control": {"schema": {"type": "string", "const": "private, no-store"}},
            "Vary": {"schema": _TEXT},
            "X-Request-Id": {"schema": _TEXT},
            **CONSISTENCY,
        },
        "content": {
            MEDIA_TYPES["batch"]: {
                "schema": {"type": "array", "items": CloudEvent.model_json_schema()},
                "example": [_EXAMPLE],
            },
            MEDIA_TYPES["ndjson"]: {"schema": _TEXT},
            MEDIA_TYPES["sse"]: {"schema": _TEXT},
        },
    }
