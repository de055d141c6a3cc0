"""The schemas of the values that public events may show, from the domain's details models."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from command_api.domain.definition import Definition

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


def public_fields(definition: Definition, described: Callable[[Schema], Schema]) -> dict[str, Schema]:
    """Return the schema of each detail that may be shown, by name, in the wire's order.

    Args:
        definition: of the entity type.
        told: gives the schema of what is told of a field from the schema of its value.
    """
    properties = definition.details.model_json_schema(by_alias=False, mode="serialization")["properties"]
    return {
        name: described(_value(schema, definition, name))
        for name, schema in properties.items()
        if name in definition.public or name in definition.free_text
    }


def flat(value: Schema) -> Schema:
    """Return the schema of a value of an event's own, with its types in one list where it may be null."""
    kept: Schema = {keyword: value[keyword] for keyword in _KEPT if keyword in value}
    if "anyOf" in value:
        one, _null = value["anyOf"]
        kept |= nullable(flat(one))
    return kept


def nullable(value: Schema) -> Schema:
    """Return the schema that lets null through besides."""
    types = value["type"] if isinstance(value["type"], list) else [value["type"]]
    allowed = {**value, "type": [*types, *(() if "null" in types else ("null",))]}
    if "enum" in value:
        allowed["enum"] = [*value["enum"], None]
    return allowed


def _value(schema: Schema, definition: Definition, name: str) -> Schema:
    value: Schema = {keyword: schema[keyword] for keyword in _KEPT if keyword in schema}
    if name in definition.free_text:
        value["description"] = _ONLY_PUBLISHED
    elif limits := definition.public[name].described():
        value["description"] += f"; {limits}"
    return value
