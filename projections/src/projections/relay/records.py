"""The Kafka records of a revision: the event, and the state after it."""

from typing import Final, NamedTuple

from command_api.domain.catalogue import DEFINITIONS
from ops.base.http.consistency import LogPosition
from projections.relay.revisions import PublicRevision
from read_model.public_events.envelope import DATA_CONTENT_TYPE, Origin, events_topic, header, state_topic

Headers = list[tuple[str, bytes]]

EVENT_ID_HEADER: Final = "ce_id"
POSITION_HEADER: Final = "fleetlog-position"
"""Header of a state: `<log id>:<position>` of its event, as in the HTTP header of that name."""
_CONTENT_TYPE: Final = ("content-type", DATA_CONTENT_TYPE.encode())


class KafkaRecord(NamedTuple):
    """A Kafka record to send."""

    topic: str
    key: bytes
    value: bytes | None
    """None removes the key from a compacted topic."""
    headers: Headers
    position: int
    """The position of the event in the log."""


TOPICS: Final = tuple(topic(entity) for entity in DEFINITIONS for topic in (events_topic, state_topic))


def is_known(revision: PublicRevision) -> bool:
    """Return whether a revision has a topic; a later release may have appended other types."""
    return revision.event.entity in DEFINITIONS


def records_of(revision: PublicRevision, origin: Origin) -> list[KafkaRecord]:
    """Return the records of a revision of a known type: the event, and a state or a tombstone.

    An event that could not be folded has no second record, because the state is unknown.
    """
    event = revision.event
    key = event.entity_id.encode()
    headers = [(header(name), value.encode()) for name, value in origin.attributes(event).items()]
    records = [KafkaRecord(events_topic(event.entity), key, event.data.encode(), headers, event.position)]
    if revision.is_folded:
        state, headers = None, [(POSITION_HEADER, str(LogPosition(origin.log_id, event.position)).encode())]
        if revision.state is not None:
            state = revision.state.encode()
            headers.append(_CONTENT_TYPE)
        records.append(KafkaRecord(state_topic(event.entity), key, state, headers, event.position))
    return records


def position_of_record(headers: Headers) -> LogPosition | None:
    """Return the log position in a record's headers; None if another producer wrote the record."""
    known = dict(headers)
    text = known.get(EVENT_ID_HEADER) or known.get(POSITION_HEADER)
    return LogPosition.parse(text.decode(errors="replace")) if text else None
