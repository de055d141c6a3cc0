"""The names of what is published: types, which name schemas too, and topics."""

from typing import Final

from ops.base.records.entities import EntityType
from projections.public_events.envelope import SCHEMAS_PATH, TYPE_PREFIX, UNREADABLE

STATE: Final = "state"
"""The kind of what a state topic holds: an entity as it is now."""
STATE_VERSION: Final = 2
TOPICS_VERSION: Final = 2
"""The version in the names of all topics: a higher one begins new topics."""
UNREADABLE_VERSION: Final = 1


def event_type(entity: EntityType, kind: str, version: int) -> str:
    """Return the CloudEvents type of a kind of event, such as `fleetlog.driver.registered.v2`."""
    return f"{TYPE_PREFIX}.{entity.name}.{kind}.v{version}"


def unreadable_type(entity: EntityType) -> str:
    """Return the type of what cannot be read as an event."""
    return event_type(entity, UNREADABLE, UNREADABLE_VERSION)


def state_type(entity: EntityType) -> str:
    """Return the type of an entity's public state."""
    return event_type(entity, STATE, STATE_VERSION)


def schema_path(type_name: str) -> str:
    """Return where the query API serves the schema of a type, relative to the product's address."""
    return f"{SCHEMAS_PATH}/{type_name}.json"


def events_topic(entity: str) -> str:
    """Return the name of the topic with everything that happened to an entity type."""
    return f"{TYPE_PREFIX}.{entity}.events.v{TOPICS_VERSION}"


def state_topic(entity: str) -> str:
    """Return the name of the compacted topic with the entities of a type as they are now."""
    return f"{TYPE_PREFIX}.{entity}.{STATE}.v{TOPICS_VERSION}"


def header(attribute: str) -> str:
    """Return an attribute's header, by CloudEvents' Kafka binding in binary mode."""
    return "content-type" if attribute == "datacontenttype" else f"ce_{attribute}"
