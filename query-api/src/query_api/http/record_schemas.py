"""JSON Schemas of records and lists, derived from the declarations of the read tables."""

from typing import Any, Final

from ops.base.records.masks import ERASED, MASKED, masked_schema
from query_api.paging.models import NAMES, Page
from read_model.tables import ENTITY_TABLES, EntityTable

_PREFIXES: Final = {MASKED: "Masked", ERASED: "Erased"}
"""Schema name prefixes, by the member that lists a record's masked or erased fields."""


def record_schemas() -> dict[str, Any]:
    """Return the schemas of records and lists, by name."""
    schemas: dict[str, Any] = {"Page": Page.model_json_schema()}
    for table in ENTITY_TABLES:
        described = {_record_name(table): table.entity.schema, _item_name(table): table.entity.list_schema}
        schemas |= described
        if table.entity.personal:
            for member, prefix in _PREFIXES.items():
                schemas |= {
                    f"{prefix}{name}": masked_schema(table.entity, of, member)
                    for name, of in described.items()
                }
        schemas[_list_name(table)] = {
            "type": "object",
            "required": ["content"],
            "properties": {
                "content": {"type": "array", "items": _shown(table, _item_name(table))},
                # Absent if the answer has all rows.
                "page": _reference("Page"),
            },
        }
    # Absent unless wanted.
    schemas["AssignmentsList"]["properties"] |= NAMES
    return schemas


def list_content(table: EntityTable) -> dict[str, Any]:
    """Return OpenAPI's description of a list's answer."""
    example = {"content": [table.entity.list_item(dict(table.entity.example))]}
    return {"application/json": {"schema": _reference(_list_name(table)), "example": example}}


def record_content(table: EntityTable) -> dict[str, Any]:
    """Return OpenAPI's description of a record's answer."""
    entity = table.entity
    schema = entity.wrap_schema(_shown(table, _record_name(table)))
    return {"application/json": {"schema": schema, "example": entity.wrap(entity.example)}}


def link_to_first(table: EntityTable) -> dict[str, Any]:
    """Return OpenAPI's link from a list to its first record."""
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
    return {"anyOf": [_reference(f"{prefix}{name}") for prefix in ("", *_PREFIXES.values())]}


def _record_name(table: EntityTable) -> str:
    return f"{table.entity.name.capitalize()}Record"


def _item_name(table: EntityTable) -> str:
    return f"{table.entity.name.capitalize()}ListItem" if table.entity.listed else _record_name(table)


def _list_name(table: EntityTable) -> str:
    return f"{table.name.capitalize()}List"
