"""One closed schema for each entity and event type, from the domain's details, events and marks."""

from collections.abc import Iterator
from typing import Any, Final

from command_api.domain.catalogue import DEFINITIONS, EVENT_CLASSES, unreadable_topics
from command_api.domain.definition import Definition
from command_api.domain.events import (
    DetailsChanged,
    Erased,
    Event,
    HoldSet,
    Registered,
    Removed,
    Restricted,
    RestrictionLifted,
)
from command_api.domain.publication import FIELD_NAME, VERSION
from ops.base.records.entities import ID_PATTERN
from projections.public_events.names import event_type, schema_path, state_type, unreadable_type
from projections.public_schemas.fields import Schema, closed, flat, nullable, public_fields

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_IGNORE: Final = (
    "Ignore members that you do not know: later releases of this version may add some, and change nothing"
    " else."
)
_HAPPENED: Final = {
    Registered.kind: "was registered, for the first time or again after its removal",
    DetailsChanged.kind: (
        "got other values in some of its fields; fields that are not mentioned are as they were"
    ),
    Removed.kind: "was removed; its past stays, and its id may be registered again",
    Restricted.kind: "is not to be used for now: nothing of it changes until that is lifted or it is erased",
    HoldSet.kind: "that is restricted must be kept until a date, or need not any more",
    RestrictionLifted.kind: "may be used again",
    Erased.kind: "was forgotten: what was personal of it can be read nowhere any more",
}

_UNDOING: Final = (Registered, DetailsChanged, Removed)
"""What an undo may be."""


def derived_schemas() -> dict[str, Schema]:
    """Return the schemas of everything that this code publishes, by type."""
    return dict(_derive())


def _derive() -> Iterator[tuple[str, Schema]]:
    for definition in DEFINITIONS.values():
        for event_class in EVENT_CLASSES.values():
            name = event_type(definition.entity_type, event_class.kind, VERSION)
            yield name, _event(name, definition, event_class)
        name = unreadable_type(definition.entity_type)
        yield name, _unreadable(name, definition)
        name = state_type(definition.entity_type)
        yield name, _state(name, definition)


def _event(name: str, definition: Definition, event_class: type[Event]) -> Schema:
    entity = definition.name
    properties: dict[str, Schema] = {
        "schema_version": {"const": VERSION, "description": "of this form; the type's name ends with it"},
        "type": {"const": f"{entity}.{event_class.kind}", "description": "the event's name in the log"},
        **_whose(definition),
        "actor": nullable(
            closed(
                {"id": {"type": "string", "description": "a pseudonym: the same for the same person"}},
                ["id"],
                description="Who caused it; null where the product tells nothing of people",
            )
        ),
        "request_id": {
            "type": ["string", "null"],
            "description": "the server's id of the request that caused it; null of old events, whose requests"
            " were named by clients",
        },
    }
    if issubclass(event_class, _UNDOING):
        properties["undoes"] = {
            "type": "integer",
            "minimum": 1,
            "description": f"the version of the {entity} whose event it takes back; missing of all others",
        }
        properties["batch"] = {
            "type": "string",
            "description": "the run, such as an import, that it came about in together with others; missing"
            " of what came alone",
        }
    if issubclass(event_class, Registered):
        properties["details"] = closed(
            public_fields(definition, lambda value: value),
            [],
            description=f"What may be shown of what the {entity} is registered with",
        )
    if issubclass(event_class, DetailsChanged):
        properties["changes"] = closed(
            public_fields(definition, _changed),
            [],
            description="The fields that changed and may be shown, each with its old and its new value; one"
            " of the two is missing where it may not be shown",
        )
    if plain := event_class.plain:
        own = event_class.model_json_schema(mode="serialization")["properties"]
        properties |= {name: flat(own[name]) for name in plain}
    if issubclass(event_class, Registered | DetailsChanged):
        properties["masked"] = _masked(definition)
    title = f"{entity.capitalize()} {event_class.kind.replace('_', ' ')}"
    required = [name for name in properties if name not in {"undoes", "batch"}]
    return _document(
        name, title, f"A {entity} {_HAPPENED[event_class.kind]}. {_IGNORE}", properties, required
    )


def _unreadable(name: str, definition: Definition) -> Schema:
    whose = _whose(definition)
    whose["id"] = {**nullable(whose["id"]), "description": "which one; null where that is no id"}
    properties = {
        "type": {
            "enum": [*unreadable_topics(definition.name), None],
            "description": "what the log calls the event; null where that is no event's name",
        },
        **whose,
    }
    description = (
        f"At this position the log holds something of a {definition.name} that cannot be read as an event, so"
        f" nothing is told of its content. {_IGNORE}"
    )
    return _document(name, f"{definition.name.capitalize()} unreadable", description, properties)


def _state(name: str, definition: Definition) -> Schema:
    entity = definition.name
    properties: dict[str, Schema] = {
        "id": _whose(definition)["id"],
        **public_fields(definition, lambda value: value),
    }
    required = ["id"]
    if definition.shows_times:
        for time, what in (("created_at", "its registration"), ("updated_at", "its last change")):
            properties[time] = {
                "type": "string",
                "format": "date-time",
                "description": f"moment of {what}: RFC 3339, UTC, with milliseconds",
            }
            required.append(time)
    description = (
        f"A {entity} as it is now, without personal data; a tombstone (null) where it has been removed."
        f" {_hidden(definition)} {_IGNORE}"
    )
    return _document(name, f"{entity.capitalize()} as it is", description, properties, required)


def _whose(definition: Definition) -> dict[str, Schema]:
    entity = definition.name
    return {
        "entity": {"const": entity, "description": "what kind of thing it happened to"},
        "id": {"type": "string", "pattern": ID_PATTERN, "description": f"the {entity}'s id"},
        "version": {
            "type": "integer",
            "minimum": 1,
            "description": f"of the {entity}: 1 for its first event, then one more for each",
        },
    }


def _changed(value: Schema) -> Schema:
    reported = {name: text for name, text in value.items() if name != "description"}
    return closed(
        {"from": nullable(reported), "to": reported},
        [],
        **({"description": value["description"]} if "description" in value else {}),
    )


def _masked(definition: Definition) -> Schema:
    return {
        "type": "array",
        "items": {"type": "string", "pattern": FIELD_NAME},
        "uniqueItems": True,
        "description": "Names of the fields that this event set, and whose values it does not show, or not"
        f" both. A registration sets all fields, some of them to nothing. {_hidden(definition)}",
    }


def _hidden(definition: Definition) -> str:
    shown = definition.public.keys() | definition.free_text
    never = [name for name in definition.fields if name not in shown]
    free_text = [name for name in definition.fields if name in definition.free_text]
    reported = [f"Never shown: {', '.join(never)}."] if never else []
    if free_text:
        reported.append(f"Shown only where free text is published: {', '.join(free_text)}.")
    return " ".join(reported) or f"All fields of a {definition.name} are shown."


def _document(
    name: str, title: str, description: str, properties: dict[str, Schema], required: Any = None
) -> Schema:
    return {
        "$schema": DIALECT,
        "$id": schema_path(name),
        **closed(properties, required or list(properties), title=title, description=description),
    }
