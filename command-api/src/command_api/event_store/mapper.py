"""Conversion between stored events and domain events, with encryption and upcasting.

The state of an encrypted event is `{"sealed":2,"key":…,"metadata":{…},"details" or "changes":{…}}`, a line
end, and the ciphertext. The JSON has the names of all fields, and the values that are not personal data. The
ciphertext is the complete event, encrypted with the key of its record and bound to its stream and version.
"""

from functools import lru_cache
from typing import Any, Final

from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from command_api.domain.catalogue import EVENT_CLASSES, STREAMS
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.keys import DecryptionError, Key
from ops.base.encryption.states import ENCRYPTED_PREFIX, decrypt_state, encrypt_state, plaintext_part
from ops.base.records.json_values import only

_COLUMNS: Final = {"originator_id": True, "originator_version": True}
_ENCRYPTED_ELSEWHERE: Final = {**_COLUMNS, "metadata": {"actor": {"name"}}}
"""Members that an encrypted event leaves out: the directory of actors has the actor's name."""
_CURRENT: Final = b'{"schema_version":%d,' % Event.class_version
"""The beginning of states in the current shape; only other states are upcast."""
_NOT_OF_EVENT: Final = frozenset({"sealed", "key"})
"""Members of an encrypted state that are not the event's."""


class UnreadableEvent(Exception):
    """A stored event is not of a known type and shape."""

    def __init__(self, stream: str, version: int, why: str) -> None:
        """Name the event and the reason, but none of its values."""
        super().__init__(f"version {version} of {stream}: {why}")
        self.why = why


class EventMapper(Mapper[str]):
    """Stores events as plain JSON, and reads them in the current shape.

    An event's class converts older shapes: `upcast_v2_v3` and so on, as with the library's events. The mapper
    looks topics up and never imports them. `JSONTranscoder` is not used, because it executes values.
    """

    def to_stored_event(self, domain_event: DomainEventProtocol[str], key: Key | None = None) -> StoredEvent:
        """Return the stored form of an event; its state lacks what the log's columns hold.

        Args:
            key: encrypts personal data; None: the event is stored unencrypted.
        """
        if not isinstance(domain_event, Event):
            raise TypeError(f"{type(domain_event).__name__} is no event of ours")
        # `model_dump_json` would decode these bytes.
        left_out: Any = _COLUMNS if key is None else _ENCRYPTED_ELSEWHERE
        state = domain_event.__pydantic_serializer__.to_json(domain_event, exclude=left_out)
        stream, version = domain_event.originator_id, domain_event.originator_version
        if key is not None:
            state = encrypt_state(to_json(_plaintext(domain_event)), state, stream, version, key)
        return StoredEvent(stream, version, domain_event.type, state)

    def to_domain_event(self, stored_event: StoredEvent) -> Event:
        """Return a stored event; its moment is set if it was read from the log. Raises `UnreadableEvent`.

        Without the key of an encrypted event, personal values are null and personal texts empty.
        """
        stream, version = str(stored_event.originator_id), stored_event.originator_version
        try:
            event_class, prefix = _event_class(stored_event.topic)
            if not stream.startswith(prefix):
                raise LookupError(prefix)  # noqa: TRY301 - the same refusal
            event = _read(event_class, _decrypted(stored_event, stream, version), stream, version)
        except LookupError:
            raise UnreadableEvent(stream, version, "its kind is not known to this release") from None
        except DecryptionError:
            raise UnreadableEvent(stream, version, "its ciphertext was altered") from None
        except ValidationError as error:
            # Places and rules only: the values may be personal data.
            places = "; ".join(f"{item['loc']}: {item['type']}" for item in error.errors(include_input=False))
            raise UnreadableEvent(stream, version, f"it is not of its shape: {places}") from None
        if isinstance(stored_event, RecordedEvent):
            event.__dict__["moment"] = stored_event.moment  # the model is frozen
        return event


MAPPER: Final = EventMapper(JSONTranscoder())


@lru_cache(maxsize=1_000)
def _event_class(topic: str) -> tuple[type[Event], str]:
    """Return the class of a topic's events, and the prefix of their streams' names."""
    entity, _, kind = topic.partition(".")
    return EVENT_CLASSES[kind], f"{STREAMS[entity].name}:"


def _plaintext(event: Event) -> dict[str, Any]:
    """Return the part of an event that stays unencrypted."""
    harmless = STREAMS[event.entity].harmless  # unknown fields are encrypted
    metadata = event.metadata
    shown: dict[str, Any] = {
        "metadata": {
            "actor": metadata.actor.model_dump(exclude={"name"}),
            "request_id": metadata.request_id,
            "traceparent": metadata.traceparent,
            **({} if metadata.undoes is None else {"undoes": metadata.undoes}),
            **({} if metadata.batch is None else {"batch": metadata.batch}),
        }
    }
    match event:
        case Registered():
            shown["details"] = only(event.details, harmless)
        case DetailsChanged():
            shown["changes"] = only(event.changes, harmless, else_={})
    return shown | event.plain_members()


def _decrypted(stored: StoredEvent, stream: str, version: int) -> bytes:
    """Return a state's event as JSON; without its key, the unencrypted part in the shape of an event."""
    if not stored.state.startswith(ENCRYPTED_PREFIX):
        return stored.state
    if (key := getattr(stored, "key", None)) is not None:
        return decrypt_state(stored.state, stream, version, key)
    try:
        members = from_json(plaintext_part(stored.state))
        metadata = members["metadata"]
        metadata["actor"]["name"] = metadata["fingerprint"] = ""
        plain = {name: value for name, value in members.items() if name not in _NOT_OF_EVENT}
    except (ValueError, LookupError, TypeError):
        raise DecryptionError(stream) from None
    return to_json({"schema_version": Event.class_version, **plain})


def _read(event_class: type[Event], state: bytes, stream: str, version: int) -> Event:
    if not state.startswith(_CURRENT) and (members := _upcast(event_class, state)):
        columns = {"originator_id": stream, "originator_version": version}
        return event_class.model_validate({**members, **columns})
    # Append the values of the log's columns as the last members, so that one pass parses and validates all.
    state = state.rstrip()
    start, end, name = state[:-1], state[-1:], to_json(stream)
    return event_class.model_validate_json(
        b'%b,"originator_id":%b,"originator_version":%d%b' % (start, name, version, end)
    )


def _upcast(event_class: type[Event], state: bytes) -> dict[str, Any] | None:
    """Return a state's members in the current shape; None if it has no older shape."""
    try:
        members: dict[str, Any] = from_json(state)
        older = range(members["schema_version"], event_class.class_version)
        for version in older:
            getattr(event_class, f"upcast_v{version}_v{version + 1}")(members)
            members["schema_version"] = version + 1
    except (ValueError, TypeError, LookupError, AttributeError):
        return None
    return members if older else None
