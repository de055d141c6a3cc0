"""The envelope of a public event: CloudEvents 1.0, equal in Kafka and in the feed; names of types and topics.

https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md; `sequence` and `partitionkey` are its
documented extensions. The envelope omits the trace context, which the client may have chosen.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from json.encoder import encode_basestring as _quoted
from typing import Final, NamedTuple

from ops.base.http.consistency import LogPosition
from ops.base.records.entities import EntityType

TYPE_PREFIX: Final = "fleetlog"
SCHEMAS_PATH: Final = "/api/v1/schemas"
"""The query API serves the JSON Schema of each type at `TYPE.json` below this path."""
DATA_CONTENT_TYPE: Final = "application/json"
UNREADABLE: Final = "unreadable"
"""The kind of an event that cannot be decoded."""
SEQUENCE_DIGITS: Final = 19
"""Fixed length, so that sequences sort as texts, as the extension requires."""
STATE: Final = "state"
"""The kind of the records in a state topic."""
STATE_VERSION: Final = 2
TOPICS_VERSION: Final = 2
"""The version in the names of all topics; a higher version creates new topics."""
UNREADABLE_VERSION: Final = 1


class PublicEvent(NamedTuple):
    """The columns of `read.revisions` that make a public event."""

    position: int
    entity: str
    entity_id: str
    type: str
    """The event's topic in the log, such as `driver.registered`."""
    moment: datetime
    schema_version: int | None
    """The version of the data; None if the event cannot be decoded."""
    data: str
    """The public event as JSON."""


COLUMNS: Final = (
    "position, entity, entity_id, type, moment,"
    " (public_event ->> 'schema_version')::integer AS schema_version, public_event::text AS data"
)
"""The columns of a `PublicEvent` for a SELECT from the revisions."""


@dataclass(frozen=True)
class Origin:
    """The source of events.

    Attributes:
        log_id: the log's id; with the position it forms the event's id, which is therefore deterministic.
        address: the product's public address, such as `https://fleet.example`, which serves the schemas.
    """

    log_id: str
    address: str

    def attributes(self, event: PublicEvent) -> dict[str, str]:
        """Return an event's CloudEvents attributes, without its data."""
        kind = type_of(event)
        return {
            "specversion": "1.0",
            "id": str(LogPosition(self.log_id, event.position)),
            "source": f"/{TYPE_PREFIX}/{self.log_id}",
            "type": kind,
            "subject": event.entity_id,
            "time": _time_of(event),
            "datacontenttype": DATA_CONTENT_TYPE,
            "dataschema": f"{self.address}{SCHEMAS_PATH}/{kind}.json",
            "sequence": f"{event.position:0{SEQUENCE_DIGITS}}",
            "partitionkey": event.entity_id,
        }

    def structured(self, event: PublicEvent) -> str:
        """Return an event with its envelope as one line of JSON (CloudEvents JSON format).

        The feed calls this tens of thousands of times a second; encoding `attributes` takes twice as long.
        """
        subject = _quoted(event.entity_id)
        return (
            f'{{"specversion": "1.0", "id": "{self.log_id}:{event.position}",'
            f' {_attributes_of_type(self, type_of(event))}, "subject": {subject},'
            f' "time": "{_time_of(event)}", "sequence": "{event.position:0{SEQUENCE_DIGITS}}",'
            f' "partitionkey": {subject}, "data": {event.data}}}'
        )


def type_of(event: PublicEvent) -> str:
    """Return an event's CloudEvents type, such as `fleetlog.driver.registered.v2`."""
    if event.schema_version is None:
        return f"{TYPE_PREFIX}.{event.entity}.{UNREADABLE}.v1"
    return f"{TYPE_PREFIX}.{event.type}.v{event.schema_version}"


def _time_of(event: PublicEvent) -> str:
    # isoformat() takes half the time without a time zone.
    return event.moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


@lru_cache(maxsize=1024)
def _attributes_of_type(origin: Origin, kind: str) -> str:
    """Return the members that all events of a type have in common."""
    schema = f"{origin.address}{SCHEMAS_PATH}/{kind}.json"
    return (
        f'"source": {_quoted(f"/{TYPE_PREFIX}/{origin.log_id}")}, "type": {_quoted(kind)},'
        f' "datacontenttype": {_quoted(DATA_CONTENT_TYPE)}, "dataschema": {_quoted(schema)}'
    )


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
