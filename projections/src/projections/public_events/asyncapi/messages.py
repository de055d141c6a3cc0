"""What is sent: a message for each type, and events once more as they come over HTTP.

Schemas are referred to where they are served. They keep to what JSON Schema 2020-12 has in common with draft
7, for that is what a reference stands for in AsyncAPI.
"""

from typing import Any, Final

from ops.base.records.entities import ENTITY_TYPES, EntityType
from projections.public_events.asyncapi.attributes import headers_schema
from projections.public_events.envelope import DATA_CONTENT_TYPE
from projections.public_events.names import schema_path, state_type
from projections.public_events.schemas import current_schemas

Message = dict[str, Any]

STRUCTURED: Final = ".structured"
"""How the names of events end as they come over HTTP: envelope and data in one."""
TOMBSTONE: Final = "tombstone"
KAFKA_BINDING: Final = "0.5.0"

_KEYED: Final = {
    "kafka": {
        "key": {"type": "string", "description": "the entity's id"},
        "bindingVersion": KAFKA_BINDING,
    }
}
_POSITION: Final = {
    "fleetlog-position": {
        "type": "string",
        "description": "`<log id>:<position>` of the event that made it so",
    }
}
_CONTENT_TYPE: Final = {"content-type": {"type": "string", "const": DATA_CONTENT_TYPE}}


def describe_messages() -> dict[str, Message]:
    """Return all messages by name: Kafka's have the name of their type."""
    messages = {}
    for name, schema in current_schemas().items():
        reported = {"name": name, "title": schema["title"], "summary": schema["description"]}
        data = {"$ref": schema_path(name)}
        is_state = any(is_state_of(entity, name) for entity in ENTITY_TYPES)
        headers = _headers(_CONTENT_TYPE | _POSITION) if is_state else headers_schema(name)
        messages[name] = {**reported, "headers": headers, "payload": data, "bindings": _KEYED}
        if not is_state:
            whole = {"properties": {"type": {"const": name}, "data": data}}
            messages[name + STRUCTURED] = {
                **reported,
                "contentType": "application/cloudevents+json",
                "payload": {"allOf": [{"$ref": "#/components/schemas/CloudEvent"}, whole]},
            }
    messages[TOMBSTONE] = {
        "name": TOMBSTONE,
        "title": "Removed",
        "summary": "The entity with this key is not registered any more; the topic forgets its state.",
        "headers": _headers(_POSITION),
        "payload": {"type": "null"},
        "bindings": _KEYED,
    }
    return messages


def is_state_of(entity: EntityType, name: str) -> bool:
    """Whether a message is the state of an entity type, in any version."""
    return name.startswith(state_type(entity).rpartition(".v")[0] + ".v")


def _headers(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}
