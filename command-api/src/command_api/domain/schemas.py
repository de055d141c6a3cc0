"""JSON Schemas and descriptions of entity types, for OpenAPI, the read side and the frontend."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.definition import Definition, nested_details
from command_api.domain.marks import PublicWord, References
from command_api.domain.rules import (
    LONG_TEXT,
    Date,
    Email,
    JsonObject,
    ListOf,
    Moment,
    Number,
    NumberBetween,
    OneOf,
    RecordId,
    Text,
    WholeNumber,
)
from ops.base.records.entities import ENTITY_TYPES, ID_PATTERN, EntityType

_TIMES: Final = ("created_at", "updated_at")
_RELEASED: Final = ("description", "type", "format", "enum", "properties", "required", "additionalProperties")


def details_schema(definition: Definition, mode: JsonSchemaMode) -> dict[str, Any]:
    """Return the JSON Schema of details: of requests (`validation`), or of stored data (`serialization`)."""
    schema = definition.details.model_json_schema(mode=mode)
    inlined: dict[str, Any] = _inlined(schema, schema.pop("$defs", {}))
    return inlined


def record_schema(definition: Definition) -> dict[str, Any]:
    """Return the JSON Schema of a record, as `State.record` returns it."""
    schema = details_schema(definition, "serialization")
    properties = {"id": {"type": "string", "pattern": ID_PATTERN}, **schema["properties"]}
    if definition.shows_times:
        properties |= {name: {"type": "string", "format": "date-time"} for name in _TIMES}
    return {**schema, "properties": properties, "required": list(properties)}


def record_example(definition: Definition) -> dict[str, Any]:
    """Return an example record."""
    times = dict.fromkeys(_TIMES, "2026-11-21T04:10:45.123Z") if definition.shows_times else {}
    return {"id": definition.example_id, **definition.example, **times}


def entity_descriptions() -> str:
    """Return the descriptions of all entity types for `ops.base.records.entities`."""
    released = {entity.name: entity for entity in ENTITY_TYPES}
    described = [asdict(_description(definition, released)) for definition in DEFINITIONS.values()]
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n"


def field_declarations(definition: Definition) -> dict[str, dict[str, Any]]:
    """Return the declarations of fields for forms and lists, by their paths in a record."""
    entity = definition.entity_type
    list_names = {path: name for name, path in entity.listed.items()}
    fields: dict[str, dict[str, Any]] = {"id": {"required": definition.given_id_required}}
    fields |= {path: {} for path in list_names} | dict(_declared(definition.details))
    if definition.shows_times:
        fields |= {name: {"kind": "timestamp", "readOnly": True} for name in _TIMES}
    for path, declared in fields.items():
        names = {path, list_names.get(path)}
        declared["listName"] = list_names.get(path)
        declared["searched"] = not names.isdisjoint(entity.searched_in_list)
        declared["filter"] = entity.filtered.get(path)
        declared["personal"] = path.partition(".")[0] in entity.personal
    return {
        path: {name: value for name, value in declared.items() if value} for path, declared in fields.items()
    }


def _declared(details: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, field in details.model_fields.items():
        if nested := nested_details(field.annotation):
            yield from _declared(nested, f"{prefix}{name}.")
        else:
            declared: dict[str, Any] = {}
            for mark in field.metadata:
                _add_meaning(mark, declared)
                _add_reference(mark, declared)
            if "choices" in declared:
                declared.pop("suggestions", None)
            yield f"{prefix}{name}", declared


def _add_meaning(mark: Any, declared: dict[str, Any]) -> None:
    match mark:
        case PublicWord(words):
            declared["suggestions"] = words
        case OneOf(choices, required):
            declared |= {"choices": choices, "required": required}
        case NumberBetween(low, high, required):
            declared |= {"kind": "number", "required": required, "between": (low, high)}
        case Number() | WholeNumber():
            declared["kind"] = "number"
        case Email(required):
            declared |= {"kind": "email", "required": required}
        case Date(required):
            declared |= {"kind": "date", "required": required}
        case Moment(required):
            declared |= {"kind": "moment", "required": required}
        case JsonObject():
            declared["kind"] = "json"
        case Text(required, length):
            declared |= {"kind": "multiline" if length == LONG_TEXT else None, "required": required}


def _add_reference(mark: Any, declared: dict[str, Any]) -> None:
    match mark:
        case RecordId(required):
            declared["required"] = required
        case ListOf(RecordId()):
            declared["isMany"] = True
        case References(entity):
            declared["refersTo"] = entity


def _description(definition: Definition, released: Mapping[str, EntityType]) -> EntityType:
    described = replace(
        definition.entity_type,
        schema=_shape(record_schema(definition)),
        example=record_example(definition),
    )
    before = released.get(described.name, described)
    return replace(described, reshaped=before.reshaped + (_rows_of(before) != _rows_of(described)))


def _rows_of(entity: EntityType) -> Any:
    """Return the declarations that determine the rows of an entity type's read table."""
    kinds = [(name, schema.get("type")) for name, schema in entity.schema["properties"].items()]
    return kinds, list(entity.listed.items()), entity.searched, entity.searched_in_list


def _shape(schema: dict[str, Any]) -> dict[str, Any]:
    """Leave out rules that hold for new requests only: the log has values that earlier rules allowed."""
    released = {name: value for name, value in schema.items() if name in _RELEASED}
    if schema.get("type") == "array":
        released["items"] = _shape(schema["items"])
    if "properties" in released:
        released["properties"] = {name: _shape(value) for name, value in released["properties"].items()}
    return released


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, dict):
        if "$ref" in schema:
            return _inlined(definitions[schema["$ref"].rsplit("/", 1)[1]], definitions)
        return {name: _inlined(value, definitions) for name, value in schema.items()}
    if isinstance(schema, list):
        return [_inlined(value, definitions) for value in schema]
    return schema
