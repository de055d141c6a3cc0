"""The AsyncAPI document of the event stream, from the released schemas and the envelope's attributes.

Messages refer to the schemas at the paths where they are served. The schemas use only what JSON Schema
2020-12 has in common with draft 7, which a reference in AsyncAPI implies.
"""

from collections.abc import Collection
from typing import Any, Final
from urllib.parse import urlsplit

from ops.base.records.entities import ENTITY_TYPES, EntityType
from read_model.public_events.envelope import (
    DATA_CONTENT_TYPE,
    SEQUENCE_DIGITS,
    TYPE_PREFIX,
    event_type,
    events_topic,
    header,
    schema_path,
    state_topic,
    state_type,
)
from read_model.public_events.schemas import current_schemas

ATTRIBUTES: Final[dict[str, dict[str, Any]]] = {
    "specversion": {"const": "1.0", "description": "of CloudEvents"},
    "id": {
        "pattern": "^[^:]+:[1-9][0-9]*$",
        "description": "`<log id>:<position>`: equal whenever and wherever the event is sent, so discard"
        " duplicates by this id",
    },
    "source": {"format": "uri-reference", "description": f"`/{TYPE_PREFIX}/<log id>`: the log of the event"},
    "type": {"description": f"`{TYPE_PREFIX}.<entity>.<kind>.v<version>`; names the schema of the data"},
    "subject": {"description": "the entity's id"},
    "time": {"format": "date-time", "description": "when the event was appended: UTC, with microseconds"},
    "datacontenttype": {"const": DATA_CONTENT_TYPE},
    "dataschema": {"format": "uri-reference", "description": "the address of the data's schema"},
    "sequence": {
        "pattern": f"^[0-9]{{{SEQUENCE_DIGITS}}}$",
        "description": "position in the log, padded with zeros to sort as a text; the log is ordered by time",
    },
    "partitionkey": {"description": "the entity's id: its events are in order"},
}
"""The attributes of the envelope; all are strings."""


def envelope_schema() -> dict[str, Any]:
    """Describe an event in structured mode, without its data."""
    return _described({**ATTRIBUTES, "data": {"description": "see the schema that `dataschema` names"}})


def headers_schema(type_name: str) -> dict[str, Any]:
    """Describe the Kafka headers of an event of a CloudEvents type, in binary mode."""
    known = {**ATTRIBUTES, "type": {**ATTRIBUTES["type"], "const": type_name}}
    return _described({header(name): schema for name, schema in known.items()})


def _described(members: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(members),
        "properties": {
            name: schema if name == "data" else {"type": "string", **schema}
            for name, schema in members.items()
        },
    }


Message = dict[str, Any]

STRUCTURED: Final = ".structured"
"""Suffix of the messages over HTTP, which contain envelope and data."""
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
        "description": "`<log id>:<position>` of the event that led to the state",
    }
}
_CONTENT_TYPE: Final = {"content-type": {"type": "string", "const": DATA_CONTENT_TYPE}}


def describe_messages() -> dict[str, Message]:
    """Return all messages by name; the names of messages on Kafka are their types."""
    messages = {}
    for name, schema in current_schemas().items():
        common = {"name": name, "title": schema["title"], "summary": schema["description"]}
        data = {"$ref": schema_path(name)}
        is_state = any(is_state_of(entity, name) for entity in ENTITY_TYPES)
        headers = _headers(_CONTENT_TYPE | _POSITION) if is_state else headers_schema(name)
        messages[name] = {**common, "headers": headers, "payload": data, "bindings": _KEYED}
        if not is_state:
            typed = {"properties": {"type": {"const": name}, "data": data}}
            messages[name + STRUCTURED] = {
                **common,
                "contentType": "application/cloudevents+json",
                "payload": {"allOf": [{"$ref": "#/components/schemas/CloudEvent"}, typed]},
            }
    messages[TOMBSTONE] = {
        "name": TOMBSTONE,
        "title": "Removed",
        "summary": "The entity with this key was removed; the topic deletes its state.",
        "headers": _headers(_POSITION),
        "payload": {"type": "null"},
        "bindings": _KEYED,
    }
    return messages


def is_state_of(entity: EntityType, name: str) -> bool:
    """Return whether a message is the state of an entity type, in any version."""
    return name.startswith(state_type(entity).rpartition(".v")[0] + ".v")


def _headers(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


FEED: Final = "feed"
FEED_PATH: Final = "/api/v1/events"
FEED_QUERY: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "entity": {
            "type": "string",
            "description": f"only these entity types: {', '.join(entity.name for entity in ENTITY_TYPES)};"
            " several with commas between them",
        },
        "type": {
            "type": "string",
            "description": f"only these types, such as `{event_type(ENTITY_TYPES[0], 'registered', 2)}` or"
            " `registered`; several with commas between them",
        },
        "after": {
            "type": "string",
            "description": "start after this position or event id; `head`: only new events",
        },
    },
}


def describe_channels(messages: Collection[str]) -> dict[str, Any]:
    """Return all channels by name: two topics for each entity type, and the feed."""
    channels = {}
    for entity in ENTITY_TYPES:
        channels[f"{entity.name}-events"] = _topic(
            events_topic(entity.name),
            f"All events of {entity.collection}, from the first one.",
            [name for name in messages if _is_event_of(entity, name)],
            cleanup="delete",
        )
        channels[f"{entity.name}-states"] = _topic(
            state_topic(entity.name),
            f"The current state of all {entity.collection}, compacted.",
            [*(name for name in messages if is_state_of(entity, name)), TOMBSTONE],
            cleanup="compact",
        )
    channels[FEED] = {
        "address": FEED_PATH,
        "description": "All events, in the log's order, as server-sent events: request `text/event-stream`."
        " The field `id` is the event's `id`, and `data` is the event as one line of JSON. Reconnect with"
        " `Last-Event-ID` to continue after an event; comments are heartbeats.",
        "servers": [{"$ref": "#/servers/http"}],
        "messages": _references([name for name in messages if name.endswith(STRUCTURED)]),
    }
    return channels


def _topic(address: str, description: str, messages: list[str], *, cleanup: str) -> dict[str, Any]:
    return {
        "address": address,
        "description": description,
        "servers": [{"$ref": "#/servers/kafka"}],
        "messages": _references(messages),
        "bindings": {
            "kafka": {
                "topic": address,
                "topicConfiguration": {"cleanup.policy": [cleanup]},
                "bindingVersion": KAFKA_BINDING,
            }
        },
    }


def _references(names: list[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/messages/{name}"} for name in names}


def _is_event_of(entity: EntityType, name: str) -> bool:
    ours = name.startswith(f"{TYPE_PREFIX}.{entity.name}.")
    return ours and not is_state_of(entity, name) and not name.endswith(STRUCTURED)


ASYNCAPI_PATH: Final = "/api/v1/asyncapi.json"

_INFO: Final = f"""\
All events of the fleet, without personal data, for analysts.

The document describes the receiving side. The events are available from Kafka, in topics for each entity
type, and over HTTP at `{FEED_PATH}`: as a stream of server-sent events, described here, and as lines of
JSON and in batches, which the OpenAPI document describes.

Guaranteed: every event is sent at least once; the events of an entity are in order; an event has the same
id whenever it is sent, so that duplicates can be discarded; members of this version do not change. Ignore
unknown types and members. Not guaranteed: that an event is sent only once, and order among entities on
Kafka."""

_KAFKA: Final[dict[str, Any]] = {
    "host": "{bootstrap}",
    "protocol": "kafka",
    "description": "The Kafka cluster that this product's relay publishes to, if it has one. Its operators"
    " state whether TLS and SASL are required.",
    "variables": {
        "bootstrap": {
            "default": "localhost:9092",
            "description": "`host:port` of a broker, as in `up --kafka HOST:PORT`",
        }
    },
}
_ACCESS_TOKEN: Final = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "JWT",
    "description": "an access token of the product's identity provider; the stream ends when it expires",
}
_HTTP_BINDING: Final = "0.3.0"


def asyncapi_document(address: str) -> dict[str, Any]:
    """Return the document; `address` is the product's public address, empty if unknown."""
    messages = describe_messages()
    channels = describe_channels(messages)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Fleetlog event stream",
            "version": "1",
            "description": _INFO,
            "license": {"name": "MIT"},
        },
        "defaultContentType": DATA_CONTENT_TYPE,
        "servers": {"kafka": _KAFKA, "http": _http(address)},
        "channels": channels,
        "operations": {f"receive-{name}": _operation(name, channel) for name, channel in channels.items()},
        "components": {
            "messages": messages,
            "schemas": {"CloudEvent": envelope_schema()},
            "securitySchemes": {"accessToken": _ACCESS_TOKEN},
        },
    }


def _http(address: str) -> dict[str, Any]:
    known = urlsplit(address)
    server: dict[str, Any] = {
        "host": known.netloc or "{host}",
        "protocol": known.scheme or "http",
        "description": "This product's own address.",
        "security": [{"$ref": "#/components/securitySchemes/accessToken"}],
    }
    if not known.netloc:
        server["variables"] = {"host": {"default": "localhost:8080", "description": "the product's host"}}
    return server


def _operation(name: str, channel: dict[str, Any]) -> dict[str, Any]:
    operation = {
        "action": "receive",
        "channel": {"$ref": f"#/channels/{name}"},
        "summary": channel["description"],
    }
    if name == FEED:
        operation["bindings"] = {
            "http": {"method": "GET", "query": FEED_QUERY, "bindingVersion": _HTTP_BINDING}
        }
    return operation
