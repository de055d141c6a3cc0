"""Derives a closed schema for each entity and event type from the domain's details, events and marks."""

from collections.abc import Mapping
from typing import Any, Final

from command_api.domain.catalogue import DEFINITIONS, unreadable_topics
from command_api.domain.definition import Definition
from command_api.domain.events import (
    DeliveryGivenUp,
    DeliveryResumed,
    DetailsChanged,
    Erased,
    Event,
    HoldSet,
    Merged,
    MergedInto,
    PossibleDuplicateDismissed,
    Registered,
    ReminderAcknowledged,
    Removed,
    Restricted,
    RestrictionLifted,
    event_classes,
)
from command_api.domain.publication import FIELD_NAME, VERSION
from ops.base.records.entities import ID_PATTERN
from read_model.public_events.envelope import event_type, schema_path, state_type, unreadable_type

Schema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_IGNORE: Final = (
    "Ignore unknown members: later releases of this version may add members, but change nothing else."
)
_HAPPENED: Final = {
    Registered.kind: "was registered, for the first time or again after its removal",
    DetailsChanged.kind: "has new values in some fields; all other fields are unchanged",
    Removed.kind: "was removed; its history remains, and its id may be registered again",
    Merged.kind: "has absorbed another record, whose values some of its fields may have taken",
    MergedInto.kind: "was removed, because it was merged into another record; its history remains",
    Restricted.kind: "was restricted: it does not change until the restriction is lifted or it is erased",
    HoldSet.kind: "that is restricted must be kept until a date, or no longer",
    RestrictionLifted.kind: "is no longer restricted",
    ReminderAcknowledged.kind: "has a document that expires, and the reminder was acknowledged",
    PossibleDuplicateDismissed.kind: "was found to be no double of another one, or perhaps one after all",
    DeliveryGivenUp.kind: "could not be delivered for days, and is not tried any more",
    DeliveryResumed.kind: "that was given up is delivered again",
    Erased.kind: "was erased: its personal data was destroyed",
}

# Patterns are omitted because dialects of regular expressions differ; `default` concerns writers only.
_KEPT: Final = ("description", "type", "enum", "format", "items", "maxLength", "minimum", "maximum")

_UNDOING: Final = (Registered, DetailsChanged, Removed)
"""Event types that can undo another event."""


def derived_schemas() -> dict[str, Schema]:
    """Return the schemas of all types that this release publishes, by type."""
    schemas = {}
    for definition in DEFINITIONS.values():
        for event_class in event_classes(definition.name):
            name = event_type(definition.entity_type, event_class.kind, VERSION)
            schemas[name] = _event(name, definition, event_class)
        name = unreadable_type(definition.entity_type)
        schemas[name] = _unreadable(name, definition)
        name = state_type(definition.entity_type)
        schemas[name] = _state(name, definition)
    return schemas


def _event(name: str, definition: Definition, event_class: type[Event]) -> Schema:
    entity = definition.name
    properties: dict[str, Schema] = {
        "schema_version": {"const": VERSION, "description": "the version at the end of the type's name"},
        "type": {"const": f"{entity}.{event_class.kind}", "description": "the event's name in the log"},
        **_whose(definition),
        "actor": _nullable(
            _closed(
                {"id": {"type": "string", "description": "a pseudonym: equal for the same user"}},
                ["id"],
                description="The user who caused the event; null if pseudonyms are not published",
            )
        ),
        "request_id": {
            "type": ["string", "null"],
            "description": "the server's id of the request; null for old events, whose requests have ids of"
            " clients only",
        },
    }
    if event_class in _UNDOING:
        properties["undoes"] = {
            "type": "integer",
            "minimum": 1,
            "description": f"the version of the {entity} whose event this event undoes; otherwise missing",
        }
        properties["batch"] = {
            "type": "string",
            "description": "the run, such as an import, to which this event belongs; otherwise missing",
        }
    if issubclass(event_class, Registered):
        properties["details"] = _closed(
            _public_fields(definition),
            [],
            description=f"The public details with which the {entity} was registered",
        )
    if issubclass(event_class, DetailsChanged):
        properties["changes"] = _closed(
            {name: _changed(value) for name, value in _public_fields(definition).items()},
            [],
            description="The public fields that changed, each with its old and its new value; a value that is"
            " not public is missing",
        )
    if plain := event_class.plain:
        own = event_class.model_json_schema(mode="serialization")["properties"]
        properties |= {name: _flat(own[name]) for name in plain}
    if issubclass(event_class, Registered | DetailsChanged):
        properties["masked"] = _masked(definition)
    title = f"{entity.capitalize()} {event_class.kind.replace('_', ' ')}"
    required = [name for name in properties if name not in {"undoes", "batch"}]
    return _document(
        name, title, f"A {entity} {_HAPPENED[event_class.kind]}. {_IGNORE}", properties, required
    )


def _unreadable(name: str, definition: Definition) -> Schema:
    whose = _whose(definition)
    whose["id"] = {**_nullable(whose["id"]), "description": "the id; null if it is invalid"}
    properties = {
        "type": {
            "enum": [*unreadable_topics(definition.name), None],
            "description": "the event's name in the log; null if it is unknown",
        },
        **whose,
    }
    description = (
        f"At this position the log contains an event of a {definition.name} that cannot be decoded, so its"
        f" content is not published. {_IGNORE}"
    )
    return _document(name, f"{definition.name.capitalize()} unreadable", description, properties)


def _state(name: str, definition: Definition) -> Schema:
    entity = definition.name
    properties: dict[str, Schema] = {"id": _whose(definition)["id"], **_public_fields(definition)}
    required = ["id"]
    if definition.shows_times:
        for time, what in (("created_at", "its registration"), ("updated_at", "its last change")):
            properties[time] = {
                "type": "string",
                "format": "date-time",
                "description": f"time of {what}: RFC 3339, UTC, with milliseconds",
            }
            required.append(time)
    description = (
        f"The current state of a {entity}, without personal data; a tombstone (null) after its removal."
        f" {_masked_fields(definition)} {_IGNORE}"
    )
    return _document(name, f"{entity.capitalize()} state", description, properties, required)


def _whose(definition: Definition) -> dict[str, Schema]:
    entity = definition.name
    return {
        "entity": {"const": entity, "description": "the type of the entity"},
        "id": {"type": "string", "pattern": ID_PATTERN, "description": f"the {entity}'s id"},
        "version": {
            "type": "integer",
            "minimum": 1,
            "description": f"the version of the {entity}: 1 for its first event, incremented by each event",
        },
    }


def _changed(value: Schema) -> Schema:
    undescribed = {name: text for name, text in value.items() if name != "description"}
    return _closed(
        {"from": _nullable(undescribed), "to": undescribed},
        [],
        **({"description": value["description"]} if "description" in value else {}),
    )


def _masked(definition: Definition) -> Schema:
    return {
        "type": "array",
        "items": {"type": "string", "pattern": FIELD_NAME},
        "uniqueItems": True,
        "description": "Names of the fields that this event set, and whose old or new value it omits."
        f" A registration sets all fields, some of them to null. {_masked_fields(definition)}",
    }


def _masked_fields(definition: Definition) -> str:
    shown = definition.public.keys() | definition.free_text
    never = [name for name in definition.fields if name not in shown]
    free_text = [name for name in definition.fields if name in definition.free_text]
    texts = [f"Never published: {', '.join(never)}."] if never else []
    if free_text:
        texts.append(f"Published only with free text: {', '.join(free_text)}.")
    return " ".join(texts) or f"All fields of a {definition.name} are published."


def _document(
    name: str, title: str, description: str, properties: dict[str, Schema], required: Any = None
) -> Schema:
    return {
        "$schema": DIALECT,
        "$id": schema_path(name),
        **_closed(properties, required or list(properties), title=title, description=description),
    }


def _public_fields(definition: Definition) -> dict[str, Schema]:
    """Return the schema of each public detail by name."""
    properties = definition.details.model_json_schema(by_alias=False, mode="serialization")["properties"]
    fields = {}
    for name, schema in properties.items():
        value: Schema = {keyword: schema[keyword] for keyword in _KEPT if keyword in schema}
        if name in definition.free_text:
            value["description"] = (
                "Free text: only if this product's operators publish free text, otherwise `masked`"
            )
        elif name not in definition.public:
            continue
        elif limits := definition.public[name].described():
            value["description"] += f"; {limits}"
        fields[name] = value
    return fields


def _closed(properties: Mapping[str, Schema], required: list[str], **keywords: Any) -> Schema:
    """Return the schema of an object without additional members."""
    return {
        **keywords,
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": dict(properties),
    }


def _flat(value: Schema) -> Schema:
    """Return a value's schema, with the types of a nullable value in one list."""
    kept: Schema = {keyword: value[keyword] for keyword in _KEPT if keyword in value}
    if "anyOf" in value:
        one, _null = value["anyOf"]
        kept |= _nullable(_flat(one))
    return kept


def _nullable(value: Schema) -> Schema:
    """Return the schema that also allows null."""
    types = value["type"] if isinstance(value["type"], list) else [value["type"]]
    allowed = {**value, "type": [*types, *(() if "null" in types else ("null",))]}
    if "enum" in value:
        allowed["enum"] = [*value["enum"], None]
    return allowed
