"""What the OpenAPI document says of the event stream's own descriptions."""

from typing import Annotated, Any, Final

from fastapi import Path
from starlette.responses import Response

from projections.public_events.schemas import released_schemas
from query_api.http.openapi import CONSISTENCY_PARAMETERS, ETAG, TEXT, headers_of_answer, operation
from query_api.schemas.documents import CACHE_CONTROL, SCHEMA_JSON

# Only described: another name is that of no schema, which is 404 and not 422.
TypeName = Annotated[
    str, Path(description="an event's type", json_schema_extra={"enum": list(released_schemas())})
]

_LISTED: Final = {
    "type": "object",
    "additionalProperties": False,
    "required": ["content"],
    "properties": {
        "content": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["type", "title", "description", "dataschema"],
                "properties": {
                    "type": {**TEXT, "description": "CloudEvents type"},
                    "title": TEXT,
                    "description": TEXT,
                    "dataschema": {**TEXT, "format": "uri-reference"},
                },
            },
        }
    },
}
_A_SCHEMA: Final = {"type": "object", "required": ["$schema", "$id", "title", "type"]}
_ASYNCAPI: Final = {
    "type": "object",
    "required": ["asyncapi", "info", "servers", "channels", "operations", "components"],
}


class _SchemaResponse(Response):
    """Only described, as all are."""

    media_type = SCHEMA_JSON


def of_list(example: list[dict[str, str]]) -> dict[str, Any]:
    """Describe the list of schemas.

    Args:
        example: the beginning of such a list.
    """
    return _of(
        "list_schemas",
        "The schemas of all public events and states",
        "By their types, which CloudEvents have in `type`; old versions stay. Needs no sign-in.",
        {"application/json": {"schema": _LISTED, "example": {"content": example}}},
    )


def of_schema() -> dict[str, Any]:
    """Describe one schema."""
    name, schema = next(iter(released_schemas().items()))
    described = _of(
        "get_schema",
        "The JSON Schema of one type of event or state",
        "Of an event's `data`, and where its `dataschema` leads. Within a version members may be added, and"
        " nothing else changes. Needs no sign-in.",
        {SCHEMA_JSON: {"schema": _A_SCHEMA, "examples": {name: {"value": dict(schema)}}}},
        refusals=(404,),
    )
    return described | {"response_class": _SchemaResponse}


def of_asyncapi(document: dict[str, Any]) -> dict[str, Any]:
    """Describe the AsyncAPI document.

    Args:
        document: as it is served.
    """
    parts = _ASYNCAPI["required"]
    example = {name: {} if isinstance(document[name], dict) else document[name] for name in parts}
    return _of(
        "get_asyncapi",
        "The event stream, described for machines",
        "An AsyncAPI 3.0 document: topics, the feed, their messages, headers and keys. Needs no sign-in.",
        {"application/json": {"schema": _ASYNCAPI, "example": example}},
    )


def _of(
    name: str, summary: str, description: str, content: dict[str, Any], refusals: tuple[int, ...] = ()
) -> dict[str, Any]:
    return operation(
        name,
        summary,
        {"description": "Found", "headers": headers_of_answer(CACHE_CONTROL, ETAG), "content": content},
        description=description,
        parameters=CONSISTENCY_PARAMETERS[:1],
        refusals=refusals,
        more={"security": []},
    )
