"""The schemas of records and lists, derived from the declarations of the read tables."""

from typing import Any, Final

from ops.base.records.masks import ERASED, MASKED, masked_schema
from projections.tables import ENTITY_TABLES, EntityTable
from query_api.paging.models import Page

_LEFT_OUT: Final = {MASKED: "Masked", ERASED: "Erased"}
"""Prefixes of the schemas of masked and erased records, by the member that lists these fields."""


def record_schemas() -> dict[str, Any]:
    """Return the schemas of records and lists, by name."""
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
                # Left out if the answer has all rows.
                "page": _reference("Page"),
            },
        }
    return schemas


def list_content(table: EntityTable) -> dict[str, Any]:
    """Return the content of a list's answer, as OpenAPI describes it."""
    example = {"content": [table.entity.list_item(dict(table.entity.example))]}
    return {"application/json": {"schema": _reference(_list_name(table)), "example": example}}


def record_content(table: EntityTable) -> dict[str, Any]:
    """Return the content of a record's answer, as OpenAPI describes it."""
    entity = table.entity
    schema = entity.wrap_schema(_shown(table, _record_name(table)))
    return {"application/json": {"schema": schema, "example": entity.wrap(entity.example)}}


def link_to_first(table: EntityTable) -> dict[str, Any]:
    """Return the link from a list to its first record."""
    operation = f"get_{table.entity.name}"
    return {
        operation: {"operationId": operation, "parameters": {"entity_id": "$response.body#/content/0/id"}}
    }


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _shown(table: EntityTable, name: str) -> dict[str, Any]:
    """Return the schema of a record that may be masked or erased."""
    if not table.entity.personal:
        return _reference(name)
    return {"anyOf": [_reference(f"{prefix}{name}") for prefix in ("", *_LEFT_OUT.values())]}


def _record_name(table: EntityTable) -> str:
    return f"{table.entity.name.capitalize()}Record"


def _item_name(table: EntityTable) -> str:
    return f"{table.entity.name.capitalize()}ListItem" if table.entity.listed else _record_name(table)


def _list_name(table: EntityTable) -> str:
    return f"{table.name.capitalize()}List"
