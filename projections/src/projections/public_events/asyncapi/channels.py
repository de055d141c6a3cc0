"""Where it is sent: two topics for each entity type, and the feed."""

from collections.abc import Collection
from typing import Any, Final

from ops.base.records.entities import ENTITY_TYPES, EntityType
from projections.public_events.asyncapi.messages import KAFKA_BINDING, STRUCTURED, TOMBSTONE, is_state_of
from projections.public_events.envelope import TYPE_PREFIX
from projections.public_events.names import event_type, events_topic, state_topic

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
            "description": "begin after this position or event id; `head`: with what comes next",
        },
    },
}


def describe_channels(messages: Collection[str]) -> dict[str, Any]:
    """Return all channels by name.

    Args:
        messages: the names of all messages.
    """
    channels = {}
    for entity in ENTITY_TYPES:
        channels[f"{entity.name}-events"] = _topic(
            events_topic(entity.name),
            f"Everything that happens to {entity.collection}, kept from the first event on.",
            [name for name in messages if _is_event_of(entity, name)],
            cleanup="delete",
        )
        channels[f"{entity.name}-states"] = _topic(
            state_topic(entity.name),
            f"The {entity.collection} as they are now: the last state of each, compacted.",
            [*(name for name in messages if is_state_of(entity, name)), TOMBSTONE],
            cleanup="compact",
        )
    channels[FEED] = {
        "address": FEED_PATH,
        "description": "All events, in the log's order, as server-sent events: ask for `text/event-stream`."
        " Each has its `id` in the field `id` and the whole event as one line of JSON in `data`. Come back"
        " with `Last-Event-ID` to go on where you left off; comments are heartbeats.",
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
