"""The one door between what the log stores and what happened: for commands, projections and tests."""

from typing import Final

from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from command_api.domain.catalogue import DEFINITIONS, EVENT_CLASSES
from command_api.domain.events import Event
from command_api.event_store.records import RecordedEvent

_COLUMNS: Final = {"originator_id", "originator_version"}
_CURRENT: Final = b'{"schema_version":%d,' % Event.class_version
"""What we write begins so: only what does not is looked at for an older shape."""


class UnreadableEvent(Exception):
    """A stored event is not of any known type and shape."""


class EventMapper(Mapper[str]):
    """Stores events as plain JSON, and opens them in today's shape, whichever they were stored in.

    An event's class says how an older shape becomes the next: `upcast_v1_v2`, as with the library's events. A
    topic is looked up, never imported, and values are never taken for instructions, as `JSONTranscoder` takes
    them: it is not used.
    """

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredEvent:
        """Return what is to be stored of an event: as state, all but what the log's own columns hold."""
        if not isinstance(domain_event, Event):
            raise TypeError(f"{type(domain_event).__name__} is no event of ours")
        state = domain_event.model_dump_json(exclude=_COLUMNS).encode()
        return StoredEvent(
            domain_event.originator_id, domain_event.originator_version, domain_event.type, state
        )

    def to_domain_event(self, stored_event: StoredEvent) -> Event:
        """Return the event that is stored; one that the log holds knows its moment.

        Raises:
            UnreadableEvent: the topic is unknown, or the state is not of its shape.
        """
        stream, version = str(stored_event.originator_id), stored_event.originator_version
        entity, _, kind = stored_event.topic.partition(".")
        event_class = EVENT_CLASSES.get(kind)
        if event_class is None or entity not in DEFINITIONS or not stream.startswith(f"{entity}:"):
            raise UnreadableEvent(f"unknown topic for version {version} of {stream}")
        try:
            event = _read(event_class, stored_event.state, stream, version)
        except ValidationError as error:
            # Only where and which rule: the values may be personal data.
            places = "; ".join(f"{item['loc']}: {item['type']}" for item in error.errors(include_input=False))
            raise UnreadableEvent(f"version {version} of {stream}: {places}") from None
        if isinstance(stored_event, RecordedEvent):
            event.__dict__["moment"] = stored_event.moment  # frozen to all others
        return event


MAPPER: Final = EventMapper(JSONTranscoder())


def _read(event_class: type[Event], state: bytes, stream: str, version: int) -> Event:
    if not state.startswith(_CURRENT):
        state = _upcast(event_class, state)
    # As its last members, what the log's columns hold: then all of it is read at once.
    state = state.rstrip()
    named = b'"originator_id":%b,"originator_version":%d' % (to_json(stream), version)
    return event_class.model_validate_json(b"%b,%b%b" % (state[:-1], named, state[-1:]))


def _upcast(event_class: type[Event], state: bytes) -> bytes:
    """Return a state in today's shape; what is of no older one, as it is."""
    try:
        members = from_json(state)
        older = range(members["schema_version"], event_class.class_version)
        for version in older:
            getattr(event_class, f"upcast_v{version}_v{version + 1}")(members)
            members["schema_version"] = version + 1
    except (ValueError, TypeError, LookupError, AttributeError):
        return state
    return to_json(members) if older else state
