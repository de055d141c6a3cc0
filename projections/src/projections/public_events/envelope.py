"""The envelope of a public event: CloudEvents 1.0, the same on every way out.

https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md; `sequence` and `partitionkey` are its
documented extensions. Nothing of the request is told: its trace context may be of the client's making.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from json.encoder import encode_basestring as _quoted
from typing import Final, NamedTuple

from ops.base.http.consistency import LogPosition

TYPE_PREFIX: Final = "fleetlog"
SCHEMAS_PATH: Final = "/api/v1/schemas"
"""Where the query API serves the JSON Schema of each type, below this as `TYPE.json`."""
DATA_CONTENT_TYPE: Final = "application/json"
UNREADABLE: Final = "unreadable"
"""The kind of what lies in the log and cannot be read as any event."""
SEQUENCE_DIGITS: Final = 19
"""So that sequences sort as texts, as the extension asks for."""


class PublicEvent(NamedTuple):
    """What `read.revisions` holds of a public event."""

    position: int
    entity: str
    entity_id: str
    type: str
    """The event's topic in the log, such as `driver.registered`."""
    moment: datetime
    schema_version: int | None
    """Of its data; None for what cannot be read as an event."""
    data: str
    """The public event's JSON, as it is stored."""


COLUMNS: Final = (
    "position, entity, entity_id, type, moment,"
    " (public_event ->> 'schema_version')::integer AS schema_version, public_event::text AS data"
)
"""How to select a `PublicEvent` from the revisions."""


@dataclass(frozen=True)
class Origin:
    """Where a log's events come from.

    Attributes:
        log_id: which log: an id is made of it and the position, so it is the same whenever it is made.
        address: the product's public address, such as `https://fleet.example`, where its schemas are.
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

        Written down once more, as a text, because the feed says it tens of thousands of times a second: the
        same attributes by way of a dictionary take twice as long.
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
    # Without its zone it is told in half the time.
    return event.moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


@lru_cache(maxsize=1024)
def _attributes_of_type(origin: Origin, kind: str) -> str:
    """What all events of a type have in common, as members of a JSON object."""
    schema = f"{origin.address}{SCHEMAS_PATH}/{kind}.json"
    return (
        f'"source": {_quoted(f"/{TYPE_PREFIX}/{origin.log_id}")}, "type": {_quoted(kind)},'
        f' "datacontenttype": {_quoted(DATA_CONTENT_TYPE)}, "dataschema": {_quoted(schema)}'
    )
