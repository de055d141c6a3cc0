"""Names of event types, which are also the schemas' names, and of topics."""

from typing import Final

from ops.base.records.entities import EntityType
from read_model.public_events.envelope import SCHEMAS_PATH, TYPE_PREFIX, UNREADABLE

STATE: Final = "state"
"""The kind of the records in a state topic."""
STATE_VERSION: Final = 2
TOPICS_VERSION: Final = 2
"""The version in the names of all topics; a higher version creates new topics."""
UNREADABLE_VERSION: Final = 1


def event_type(entity: EntityType, kind: str, version: int) -> str:
    """Return the CloudEvents type of a kind of event, such as `fleetlog.driver.registered.v2`."""
    return f"{TYPE_PREFIX}.{entity.name}.{kind}.v{version}"


def unreadable_type(entity: EntityType) -> str:
    """Return the type of events that cannot be decoded."""
    return event_type(entity, UNREADABLE, UNREADABLE_VERSION)


def state_type(entity: EntityType) -> str:
    """Return the type of an entity's public state."""
    return event_type(entity, STATE, STATE_VERSION)


def schema_path(type_name: str) -> str:
    """Return the path of a type's schema in the query API."""
    return f"{SCHEMAS_PATH}/{type_name}.json"


def events_topic(entity: str) -> str:
    """Return the name of the topic with all events of an entity type."""
    return f"{TYPE_PREFIX}.{entity}.events.v{TOPICS_VERSION}"


def state_topic(entity: str) -> str:
    """Return the name of the compacted topic with the current states of an entity type."""
    return f"{TYPE_PREFIX}.{entity}.{STATE}.v{TOPICS_VERSION}"


def header(attribute: str) -> str:
    """Return an attribute's Kafka header, by the CloudEvents binding in binary mode."""
    return "content-type" if attribute == "datacontenttype" else f"ce_{attribute}"
