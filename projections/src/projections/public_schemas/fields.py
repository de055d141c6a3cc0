"""The schemas of the values that public events may show, from the domain's details models."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from command_api.domain.catalogue import Definition

Schema = dict[str, Any]

# Patterns are left out, for readers of regular expressions differ; `default` is for those who write.
_KEPT: Final = ("description", "type", "enum", "format", "maxLength", "minimum", "maximum")
_ONLY_PUBLISHED: Final = (
    "Free text: here only where this product's operators publish free text, otherwise it is `masked`"
)


def closed(properties: Mapping[str, Schema], required: list[str], **keywords: Any) -> Schema:
    """Return the schema of an object that has no other members than these."""
    return {
        **keywords,
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": dict(properties),
    }


def public_fields(definition: Definition, told: Callable[[Schema], Schema]) -> dict[str, Schema]:
    """Return the schema of each detail that may be shown, by name, in the wire's order.

    Args:
        definition: of the entity type.
        told: gives the schema of what is told of a field from the schema of its value.
    """
    public = definition.public(publish_free_text=True)
    model = definition.details.model_json_schema(mode="serialization")
    return {
        name: told(_value(schema, model, free_text=name in definition.free_text))
        for name, schema in model["properties"].items()
        if name in public
    }


def always_there(definition: Definition) -> list[str]:
    """Return the details that every registration has and that are always shown."""
    public = definition.public(publish_free_text=False)
    fields = definition.details.model_fields
    return [name for name, field in fields.items() if field.is_required() and name in public]


def nullable(value: Schema) -> Schema:
    """Return the schema that lets null through besides."""
    types = value["type"] if isinstance(value["type"], list) else [value["type"]]
    allowed = {**value, "type": [*types, *(() if "null" in types else ("null",))]}
    if "enum" in value:
        allowed["enum"] = [*value["enum"], None]
    return allowed


def _value(schema: Schema, model: Schema, *, free_text: bool = False) -> Schema:
    if "$ref" in schema:
        nested = model["$defs"][schema["$ref"].rpartition("/")[2]]
        members = {name: _value(member, model) for name, member in nested["properties"].items()}
        return closed(members, nested.get("required", []), description=schema["description"])
    value: Schema = {name: schema[name] for name in _KEPT if name in schema}
    if free_text:
        value["description"] = _ONLY_PUBLISHED
    return value
