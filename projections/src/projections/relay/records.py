"""What a revision becomes on Kafka: one event, and the state after it."""

from typing import Final, NamedTuple

from command_api.domain.catalogue import DEFINITIONS
from ops.base.http.consistency import LogPosition
from projections.public_events.envelope import DATA_CONTENT_TYPE, Origin
from projections.public_events.names import events_topic, header, state_topic
from projections.relay.revisions import RelayedRevision

Headers = list[tuple[str, bytes]]

EVENT_ID_HEADER: Final = "ce_id"
POSITION_HEADER: Final = "fleetlog-position"
"""Of a state: `<log id>:<position>` of the event that made it, as in the HTTP header of that name."""
_CONTENT_TYPE: Final = ("content-type", DATA_CONTENT_TYPE.encode())


class Record(NamedTuple):
    """A Kafka record that is yet to be sent."""

    topic: str
    key: bytes
    value: bytes | None
    """None removes the key from a compacted topic."""
    headers: Headers
    position: int
    """The log's position that it comes from."""


TOPICS: Final = tuple(topic(entity) for entity in DEFINITIONS for topic in (events_topic, state_topic))


def is_known(revision: RelayedRevision) -> bool:
    """Return whether there is a topic for a revision: the log may hold types of a later release."""
    return revision.event.entity in DEFINITIONS


def records_of(revision: RelayedRevision, origin: Origin) -> list[Record]:
    """Return what is to be sent for a revision of a known type.

    The event is always sent. The state is sent where there is one; a removal sends none, which removes the
    key; where the event could not be folded nothing is sent, for nobody knows the state.
    """
    event = revision.event
    key = event.entity_id.encode()
    headers = [(header(name), value.encode()) for name, value in origin.attributes(event).items()]
    records = [Record(events_topic(event.entity), key, event.data.encode(), headers, event.position)]
    if revision.is_folded:
        state, headers = None, [(POSITION_HEADER, str(LogPosition(origin.log_id, event.position)).encode())]
        if revision.state is not None:
            state = revision.state.encode()
            headers.append(_CONTENT_TYPE)
        records.append(Record(state_topic(event.entity), key, state, headers, event.position))
    return records


def position_of_record(headers: Headers) -> LogPosition | None:
    """Return the position that a record of ours tells; None: it is not one of ours."""
    reported = dict(headers)
    text = reported.get(EVENT_ID_HEADER) or reported.get(POSITION_HEADER)
    return LogPosition.parse(text.decode(errors="replace")) if text else None
