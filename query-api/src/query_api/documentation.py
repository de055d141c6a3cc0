"""What the OpenAPI document says of the routes, derived from the tables' declarations."""

from typing import Annotated, Any, Final

from fastapi import Path
from pydantic import BaseModel, create_model

from ops.base.consistency import CONSISTENCY_HEADER, POSITION_COOKIE, POSITION_HEADER, STALE
from ops.base.entities import ID_PATTERN
from ops.base.openapi import problem_responses
from projections.tables import EntityTable

# Only described: an id of another form names nothing, which is 404 and not 422.
EntityId = Annotated[str, Path(description="the record's id", json_schema_extra={"pattern": ID_PATTERN})]

_TEXT: Final = {"type": "string"}
_CONSISTENCY: Final = {
    CONSISTENCY_HEADER: {
        "description": f"`{STALE}`: what was written is accepted, but not visible in this answer yet",
        "schema": {"type": "string", "enum": [STALE]},
    }
}
_HEADERS: Final = {
    "ETag": {"description": "Changes whenever the answer does", "schema": _TEXT},
    "Cache-Control": {"schema": {"type": "string", "const": "private, no-cache"}},
    "Vary": {"schema": _TEXT},
    "X-Request-Id": {"schema": _TEXT},
    **_CONSISTENCY,
}
_PARAMETERS: Final = [
    {
        "name": "If-None-Match",
        "in": "header",
        "description": "ETags of answers that the client has",
        "schema": _TEXT,
        "example": '"1-0-42"',
    },
    {
        "name": POSITION_HEADER,
        "in": "header",
        "description": "`<log id>:<position>` of a command's answer: wait, at most 2 s, until it can be read",
        "schema": _TEXT,
    },
    {
        "name": POSITION_COOKIE,
        "in": "cookie",
        "description": f"As {POSITION_HEADER}; the larger one counts",
        "schema": _TEXT,
    },
]
_NOT_MODIFIED: Final = {"description": "The client has it already", "headers": _HEADERS}
# Describing "default" also keeps FastAPI from promising a 422 of its own, which is never answered.
_ANY_PROBLEM: Final = {**problem_responses(500)[500], "description": "Any other problem"}


def of_list(table: EntityTable) -> dict[str, Any]:
    """Describe GET of a collection."""
    item = table.list_item
    answer = create_model(f"{table.name.capitalize()}List", content=(list[item], ...))  # type: ignore[valid-type]
    return {
        "name": f"list_{table.name}",
        "summary": f"All {table.name}, ordered by id",
        "responses": {
            200: _found(answer, {"content": [_example_of(item)]}),
            304: _NOT_MODIFIED,
            **problem_responses(401, 503),
            "default": _ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": _PARAMETERS},
    }


def of_single(table: EntityTable) -> dict[str, Any]:
    """Describe GET of one record."""
    entity, answer = table.entity, table.record
    if entity.wrapper is not None:
        members: dict[str, Any] = {entity.wrapper: (table.record, ...)}
        answer = create_model(f"{entity.name.capitalize()}Answer", **members)
    return {
        "name": f"get_{entity.name}",
        "summary": f"One {entity.name}",
        "responses": {
            200: _found(answer, entity.wrap(_example_of(table.record))),
            304: _NOT_MODIFIED,
            **problem_responses(401, 503),
            404: {**problem_responses(404)[404], "headers": _CONSISTENCY},
            "default": _ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": _PARAMETERS},
    }


def _found(model: type[BaseModel], example: Any) -> dict[str, Any]:
    return {
        "model": model,
        "description": "Found",
        "headers": _HEADERS,
        "content": {"application/json": {"example": example}},
    }


def _example_of(model: type[BaseModel]) -> Any:
    extra = model.model_config.get("json_schema_extra")
    return extra["example"] if isinstance(extra, dict) else None
