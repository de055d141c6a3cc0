"""What the OpenAPI document says of lists and single records, derived from the tables' declarations."""

from typing import Any

from pydantic import BaseModel, Field, create_model
from pydantic.config import JsonDict

from ops.base.openapi import problem_responses
from projections.tables import EntityTable
from query_api.history.documentation import AS_OF, AS_OF_HEADERS, VERSION
from query_api.openapi import ANY_PROBLEM, CONSISTENCY, CONSISTENCY_PARAMETERS, NOT_MODIFIED, found
from query_api.paging import documentation as paging
from query_api.paging.documentation import Page


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
            200: {
                **found(answer, {"content": [_example_of(item)]}, AS_OF_HEADERS),
                "links": _link_to_single(table),
            },
            304: NOT_MODIFIED,
            **problem_responses(401, 422, 503),
            "default": ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": [*paging.page_parameters(table), AS_OF, *CONSISTENCY_PARAMETERS]},
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
            200: found(answer, entity.wrap(_example_of(table.record)), AS_OF_HEADERS),
            304: NOT_MODIFIED,
            **problem_responses(401, 422, 503),
            404: {**problem_responses(404)[404], "headers": CONSISTENCY},
            "default": ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": [VERSION, AS_OF, *CONSISTENCY_PARAMETERS]},
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


def _example_of(model: type[BaseModel]) -> Any:
    extra = model.model_config.get("json_schema_extra")
    return extra["example"] if isinstance(extra, dict) else None
