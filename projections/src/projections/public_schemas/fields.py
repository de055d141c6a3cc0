"""Schemas of the public fields, from the domain's details models."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from command_api.domain.definition import Definition

Schema = dict[str, Any]

# Patterns are omitted because dialects of regular expressions differ; `default` concerns writers only.
_KEPT: Final = ("description", "type", "enum", "format", "maxLength", "minimum", "maximum")
_ONLY_PUBLISHED: Final = "Free text: only if this product's operators publish free text, otherwise `masked`"


def closed(properties: Mapping[str, Schema], required: list[str], **keywords: Any) -> Schema:
    """Return the schema of an object without additional members."""
    return {
        **keywords,
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": dict(properties),
    }


def public_fields(definition: Definition, described: Callable[[Schema], Schema]) -> dict[str, Schema]:
    """Return the schema of each public detail by name, as `described` derives it from the value's schema."""
    properties = definition.details.model_json_schema(by_alias=False, mode="serialization")["properties"]
    return {
        name: described(_value(schema, definition, name))
        for name, schema in properties.items()
        if name in definition.public or name in definition.free_text
    }


def flat(value: Schema) -> Schema:
    """Return a value's schema, with the types of a nullable value in one list."""
    kept: Schema = {keyword: value[keyword] for keyword in _KEPT if keyword in value}
    if "anyOf" in value:
        one, _null = value["anyOf"]
        kept |= nullable(flat(one))
    return kept


def nullable(value: Schema) -> Schema:
    """Return the schema that also allows null."""
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
