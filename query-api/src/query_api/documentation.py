"""What the OpenAPI document says of the routes, derived from the tables' declarations."""

from typing import Any, Final

from pydantic import BaseModel, Field, create_model
from pydantic.config import JsonDict

from ops.base.consistency import CONSISTENCY_HEADER, POSITION_COOKIE, POSITION_HEADER, STALE
from ops.base.openapi import problem_responses
from projections.tables import EntityTable
from query_api.paging import documentation as paging
from query_api.paging.documentation import Page

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
    members: dict[str, Any] = {
        "content": (list[item], ...),  # type: ignore[valid-type]
        # Not there when all rows are: left out, never null.
        "page": (Page, Field(default=None, json_schema_extra=_without_default)),
    }
    answer = create_model(f"{table.name.capitalize()}List", **members)
    return {
        "name": f"list_{table.name}",
        "summary": f"All {table.name}, or a page of them",
        "description": paging.DESCRIPTION,
        "responses": {
            200: {**_found(answer, {"content": [_example_of(item)]}), "links": _link_to_single(table)},
            304: _NOT_MODIFIED,
            **problem_responses(401, 422, 503),
            "default": _ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": [*paging.page_parameters(table), *_PARAMETERS]},
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


def _link_to_single(table: EntityTable) -> dict[str, Any]:
    return {
        f"get_{table.entity.name}": {
            "operationId": f"get_{table.entity.name}",
            "description": "The first of these records alone; so for the others",
            "parameters": {"entity_id": "$response.body#/content/0/id"},
        }
    }


def _without_default(schema: JsonDict) -> None:
    del schema["default"]


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
