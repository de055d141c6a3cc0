"""Records of the log: events, decisions, and requests to append them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, Self
from uuid import UUID

from eventsourcing.persistence import Notification, StoredEvent

from command_api.domain.events import StreamMember
from ops.base.encryption.keys import Key
from ops.base.encryption.states import key_id_of

MAX_VERSION: Final = 2**63 - 1


@dataclass(frozen=True, init=False)
class RecordedEvent(StreamMember, Notification):
    """An event in the log.

    Attributes:
        key: decrypts the event; None: the event is not encrypted, or the key was erased or not loaded.
    """

    originator_id: str
    moment: datetime
    key: ClassVar[Key | None] = None

    def __init__(  # noqa: PLR0917 - in the order of the columns
        self,
        originator_id: str,
        originator_version: int,
        topic: str,
        state: bytes,
        id: int,  # noqa: A002 - the library's name for a position
        moment: datetime,
    ) -> None:
        # A frozen dataclass's own __init__ takes two and a half times as long, for every event that is read.
        values = self.__dict__
        values["originator_id"] = originator_id
        values["originator_version"] = originator_version
        values["topic"] = topic
        values["state"] = state
        values["id"] = id
        values["moment"] = moment

    @classmethod
    def of(cls, stored: StoredEvent, position: int, moment: datetime) -> Self:
        """Return the record of an event that the log has stored at a position."""
        stream = str(stored.originator_id)
        return cls(stream, stored.originator_version, stored.topic, stored.state, position, moment)

    @property
    def position(self) -> int:
        """The event's position in the log."""
        return self.id

    @property
    def key_id(self) -> str | None:
        """The id of the key that encrypts the event; None: it is not encrypted."""
        return key_id_of(self.state)

    def unlock(self, key: Key | None) -> None:
        """Set the key that decrypts the event."""
        self.__dict__["key"] = key

    @property
    def reference(self) -> "EventReference":
        """The identity of the event in the log."""
        return EventReference(self.originator_version, self.id, self.moment, self.topic, len(self.state))


class EventReference(NamedTuple):
    """Identity of an event of a stream: a restored log may have another event at the same version."""

    version: int
    position: int
    moment: datetime
    topic: str
    size: int | None = None
    """Bytes of the event's state; None: unknown."""

    def is_same(self, other: "EventReference | None") -> bool:
        """Return whether both refer to the same event; an unknown size matches any."""
        if other is None or None in (self.size, other.size):
            return other is not None and self[:-1] == other[:-1]
        return self == other


class StreamPage(NamedTuple):
    """Consecutive events of a stream."""

    previous: EventReference | None
    """The event before them; None: the stream has no such event."""
    events: list[RecordedEvent]
    is_last: bool
    """Whether no events follow."""
    previous_key_id: str | None = None
    """The id of the key that encrypts the event before them."""


class Snapshot(NamedTuple):
    """State of an unrestricted entity; valid only if the log has the referenced event."""

    reference: EventReference
    record: dict[str, Any]
    """As `State.record` returns it."""


class Decision(NamedTuple):
    """Outcome of a command that appends nothing."""

    originator_id: str
    originator_version: int
    """The version of the stream that the command was decided on; 0: the stream has no events."""
    decision: str
    """Nothing to do, or the reason of the refusal: one line, without values."""


class UniqueChange(NamedTuple):
    """Keyed hashes of the unique values that an event releases and claims for its record."""

    key_id: str
    """The id of the key of the hashes; empty: none is known, because they are being refilled."""
    released: tuple[bytes, ...] = ()
    claimed: tuple[bytes, ...] = ()
    shared: tuple[bytes, ...] = ()
    """Claimed even if another record has them."""
    avoided: tuple[bytes, ...] = ()
    """Not claimed, but no other record may have them."""
    during: Mapping[bytes, str] = MappingProxyType({})
    """The times of the values that the record does not have always, as `tstzrange`."""
    fields: Mapping[bytes, str] = MappingProxyType({})
    """The fields of the values that are not released."""


class AppendRequest(NamedTuple):
    """Events of one command, appended completely or not at all; or the decision to append nothing."""

    command_id: UUID
    events: tuple[StoredEvent, ...] = ()
    decision: Decision | None = None
    fingerprint: str | None = None
    """Hash that distinguishes commands with the same id. None: the command has no idempotency key, so its
    decision is not stored."""
    unique: tuple[UniqueChange | None, ...] = ()
    """The change by each event."""
    known: tuple[tuple[str, int], ...] = ()
    """Other streams on which the decision depends, each with the version that was read."""

    @property
    def unique_key_id(self) -> str | None:
        """The id of the key of the unique values' hashes; None: no unique value changes."""
        return next((change.key_id for change in self.unique if change is not None), None)

    @property
    def size(self) -> int:
        """Bytes of state."""
        return sum(len(event.state) for event in self.events)


class AppendedEvents(NamedTuple):
    """The events of a command in the log; of an earlier command with the same id the last one only."""

    events: tuple[RecordedEvent, ...]


class RecordedDecision(NamedTuple):
    """The decision of a command in the log."""

    decision: Decision
    position: int
    """Position of the stream's last event at the version of the decision; 0: it has none."""
    fingerprint: str | None
    events: tuple[RecordedEvent, ...] = ()


class VersionConflict(Exception):
    """Another command has appended to the stream: decide again on its new version."""


class ValueTaken(Exception):
    """Another record has a value that the event claims.

    Attributes:
        value: its hash.
        owner: the stream of the other record.
    """

    def __init__(self, value: bytes, owner: str) -> None:
        super().__init__("another record has the value")
        self.value = value
        self.owner = owner


class UniqueKeyChanged(Exception):
    """The hashes of unique values have another key: hash again."""


class UniqueValuesUnavailable(Exception):
    """The hashes of unique values are being refilled, so values cannot be claimed now."""


class LogUnavailable(Exception):
    """The log could not be reached in time; it is unknown whether the command was appended."""


class ClockJumped(Exception):
    """Nothing was appended: the clocks differ too much, or the log's last event is in the future."""
