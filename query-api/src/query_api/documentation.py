"""What the OpenAPI document says of lists and single records, derived from the tables' declarations."""

from typing import Any

from ops.base.openapi import problem_responses
from projections.tables import ENTITY_TABLES, EntityTable
from query_api.history.documentation import AS_OF, AS_OF_HEADERS, VERSION
from query_api.openapi import ANY_PROBLEM, CONSISTENCY, CONSISTENCY_PARAMETERS, NOT_MODIFIED, found
from query_api.paging import documentation as paging
from query_api.paging.documentation import Page


def of_list(table: EntityTable) -> dict[str, Any]:
    """Describe GET of a collection."""
    example = {"content": [table.entity.list_item(dict(table.entity.example))]}
    return {
        "name": f"list_{table.name}",
        "summary": f"All {table.name}, or a page of them",
        "description": paging.DESCRIPTION,
        "responses": {
            200: {
                **found(_reference(_list_name(table)), example, AS_OF_HEADERS),
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
    entity = table.entity
    answer = _reference(_record_name(table))
    if entity.wrapper is not None:
        answer = {"type": "object", "required": [entity.wrapper], "properties": {entity.wrapper: answer}}
    return {
        "name": f"get_{entity.name}",
        "summary": f"One {entity.name}",
        "responses": {
            200: found(answer, entity.wrap(entity.example), AS_OF_HEADERS),
            304: NOT_MODIFIED,
            **problem_responses(401, 422, 503),
            404: {**problem_responses(404)[404], "headers": CONSISTENCY},
            "default": ANY_PROBLEM,
        },
        "openapi_extra": {"parameters": [VERSION, AS_OF, *CONSISTENCY_PARAMETERS]},
    }


def record_schemas() -> dict[str, Any]:
    """Return the schemas of records and lists, which the descriptions refer to by name."""
    schemas: dict[str, Any] = {"Page": Page.model_json_schema()}
    for table in ENTITY_TABLES:
        schemas[_record_name(table)] = table.entity.schema
        schemas[_item_name(table)] = table.entity.list_schema
        schemas[_list_name(table)] = {
            "type": "object",
            "required": ["content"],
            "properties": {
                "content": {"type": "array", "items": _reference(_item_name(table))},
                # Not there when all rows are: left out, never null.
                "page": _reference("Page"),
            },
        }
    return schemas


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _record_name(table: EntityTable) -> str:
    return f"{table.entity.name.capitalize()}Record"


def _item_name(table: EntityTable) -> str:
    return f"{table.entity.name.capitalize()}ListItem" if table.entity.listed else _record_name(table)


def _list_name(table: EntityTable) -> str:
    return f"{table.name.capitalize()}List"


def _link_to_single(table: EntityTable) -> dict[str, Any]:
    return {
        f"get_{table.entity.name}": {
            "operationId": f"get_{table.entity.name}",
            "description": "The first of these records alone; so for the others",
            "parameters": {"entity_id": "$response.body#/content/0/id"},
        }
    }
