"""What the OpenAPI document says of lists and single records, derived from the tables' declarations."""

from typing import Any, Final

from ops.base.records.masks import ERASED, MASKED, masked_schema
from projections.tables import ENTITY_TABLES, EntityTable
from query_api.history.documentation import AS_OF_HEADERS
from query_api.http.openapi import found, operation
from query_api.paging import documentation as paging
from query_api.paging.documentation import Page

_LEFT_OUT: Final = {MASKED: "Masked", ERASED: "Erased"}
"""What records' schemas are called that leave something out, by the members that name it."""


def of_list(table: EntityTable) -> dict[str, Any]:
    """Describe GET of a collection."""
    example = {"content": [table.entity.list_item(dict(table.entity.example))]}
    answer = found(_reference(_list_name(table)), example, AS_OF_HEADERS)
    return operation(
        f"list_{table.name}",
        f"All {table.name}, or a page of them",
        {**answer, "links": _link_to_single(table)},
        description=paging.DESCRIPTION,
    )


def of_single(table: EntityTable) -> dict[str, Any]:
    """Describe GET of one record."""
    entity = table.entity
    answer = found(
        entity.wrap_schema(_shown(table, _record_name(table))), entity.wrap(entity.example), AS_OF_HEADERS
    )
    return operation(f"get_{entity.name}", f"One {entity.name}", answer, may_be_missing=True)


def record_schemas() -> dict[str, Any]:
    """Return the schemas of records and lists, which the descriptions refer to by name."""
    schemas: dict[str, Any] = {"Page": Page.model_json_schema()}
    for table in ENTITY_TABLES:
        described = {_record_name(table): table.entity.schema, _item_name(table): table.entity.list_schema}
        schemas |= described
        if table.entity.personal:
            for member, prefix in _LEFT_OUT.items():
                schemas |= {
                    f"{prefix}{name}": masked_schema(table.entity, of, member)
                    for name, of in described.items()
                }
        schemas[_list_name(table)] = {
            "type": "object",
            "required": ["content"],
            "properties": {
                "content": {"type": "array", "items": _shown(table, _item_name(table))},
                # Not there when all rows are: left out, never null.
                "page": _reference("Page"),
            },
        }
    return schemas


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _shown(table: EntityTable, name: str) -> dict[str, Any]:
    """Refer to a record, as it is shown to those who may see personal data, to others, and when erased."""
    if not table.entity.personal:
        return _reference(name)
    return {"anyOf": [_reference(f"{prefix}{name}") for prefix in ("", *_LEFT_OUT.values())]}


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
