"""The one door between what the log stores and what happened: for commands, projections and tests."""

from functools import lru_cache
from typing import Any, Final

from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from command_api.domain.catalogue import EVENT_CLASSES, STREAMS
from command_api.domain.events import Event
from command_api.event_store.records import RecordedEvent
from command_api.event_store.sealed_states import sealed, shown
from ops.base.encryption.keys import DecryptionError, Key
from ops.base.encryption.states import ENCRYPTED_PREFIX, decrypt_state

_COLUMNS: Final = {"originator_id": True, "originator_version": True}
_WHEN_SEALED: Final = {**_COLUMNS, "metadata": {"actor": {"name"}}}
"""Who acted is in the clear, and what they are called in the directory of actors."""
_CURRENT: Final = b'{"schema_version":%d,' % Event.class_version
"""What we write begins so: only what does not is looked at for an older shape."""


class UnreadableEvent(Exception):
    """A stored event is not of any known type and shape."""

    def __init__(self, stream: str, version: int, why: str) -> None:
        """Say which, and why; never what it holds."""
        super().__init__(f"version {version} of {stream}: {why}")
        self.why = why


class EventMapper(Mapper[str]):
    """Stores events as plain JSON, and opens them in today's shape, whichever they were stored in.

    An event's class says how an older shape becomes the next: `upcast_v1_v2`, as with the library's events. A
    topic is looked up, never imported, and values are never taken for instructions, as `JSONTranscoder` takes
    them: it is not used.
    """

    def to_stored_event(self, domain_event: DomainEventProtocol[str], key: Key | None = None) -> StoredEvent:
        """Return what is to be stored of an event: as state, all but what the log's own columns hold.

        What is sealed has no name of who acted: `ops.base.encryption.actors` has it.

        Args:
            domain_event: what happened.
            key: what is personal in it is sealed under; None: it is stored in the clear.
        """
        if not isinstance(domain_event, Event):
            raise TypeError(f"{type(domain_event).__name__} is no event of ours")
        # As `model_dump_json` does it, which makes text of the bytes.
        left_out: Any = _COLUMNS if key is None else _WHEN_SEALED
        state = domain_event.__pydantic_serializer__.to_json(domain_event, exclude=left_out)
        if key is not None:
            state = sealed(domain_event, state, key)
        return StoredEvent(
            domain_event.originator_id, domain_event.originator_version, domain_event.type, state
        )

    def to_domain_event(self, stored_event: StoredEvent) -> Event:
        """Return the event that is stored; one that the log holds knows its moment.

        Of what is sealed, and was given no key, personal values are null and texts of people empty.

        Raises:
            UnreadableEvent: the topic is unknown, or the state is not of its shape, or was not sealed so.
        """
        stream, version = str(stored_event.originator_id), stored_event.originator_version
        try:
            event_class, prefix = _known(stored_event.topic)
            if not stream.startswith(prefix):
                raise LookupError(prefix)  # noqa: TRY301 - the same refusal
            event = _read(event_class, _in_the_clear(stored_event, stream, version), stream, version)
        except LookupError:
            raise UnreadableEvent(stream, version, "its kind is not known to this release") from None
        except DecryptionError:
            raise UnreadableEvent(stream, version, "it is not what was sealed") from None
        except ValidationError as error:
            # Only where and which rule: the values may be personal data.
            places = "; ".join(f"{item['loc']}: {item['type']}" for item in error.errors(include_input=False))
            raise UnreadableEvent(stream, version, f"it is not of its shape: {places}") from None
        if isinstance(stored_event, RecordedEvent):
            event.__dict__["moment"] = stored_event.moment  # frozen to all others
        return event


MAPPER: Final = EventMapper(JSONTranscoder())


@lru_cache(maxsize=1_000)
def _known(topic: str) -> tuple[type[Event], str]:
    """Return the class of a topic's events, and how their streams' names begin.

    Raises:
        LookupError: it is none of ours.
    """
    entity, _, kind = topic.partition(".")
    return EVENT_CLASSES[kind], f"{STREAMS[entity].name}:"


def _in_the_clear(stored: StoredEvent, stream: str, version: int) -> bytes:
    if not stored.state.startswith(ENCRYPTED_PREFIX):
        return stored.state
    if (key := getattr(stored, "key", None)) is not None:
        return decrypt_state(stored.state, stream, version, key)
    try:
        return shown(stored.state, Event.class_version)
    except ValueError:
        raise DecryptionError(stream) from None


def _read(event_class: type[Event], state: bytes, stream: str, version: int) -> Event:
    if not state.startswith(_CURRENT) and (members := _upcast(event_class, state)):
        columns = {"originator_id": stream, "originator_version": version}
        return event_class.model_validate({**members, **columns})
    # As its last members, what the log's columns hold: then all of it is read at once.
    state = state.rstrip()
    start, end, name = state[:-1], state[-1:], to_json(stream)
    return event_class.model_validate_json(
        b'%b,"originator_id":%b,"originator_version":%d%b' % (start, name, version, end)
    )


def _upcast(event_class: type[Event], state: bytes) -> dict[str, Any] | None:
    """Return a state's members in today's shape; None where it is of no older one."""
    try:
        members: dict[str, Any] = from_json(state)
        older = range(members["schema_version"], event_class.class_version)
        for version in older:
            getattr(event_class, f"upcast_v{version}_v{version + 1}")(members)
            members["schema_version"] = version + 1
    except (ValueError, TypeError, LookupError, AttributeError):
        return None
    return members if older else None
