"""What goes into the log and what comes out of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, NamedTuple, Self
from uuid import UUID

from eventsourcing.persistence import Notification, StoredEvent

from command_api.domain.events import StreamMember
from ops.base.encryption.keys import Key
from ops.base.encryption.states import key_id_of

MAX_VERSION: Final = 2**63 - 1


@dataclass(frozen=True, init=False)
class RecordedEvent(StreamMember, Notification):
    """An event as the log holds it.

    Attributes:
        key: what it is sealed under; None: it is not, or that key was erased, or has not been fetched.
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
        # As a frozen dataclass does it, it takes two and a half times as long, for every event that is read.
        values = self.__dict__
        values["originator_id"] = originator_id
        values["originator_version"] = originator_version
        values["topic"] = topic
        values["state"] = state
        values["id"] = id
        values["moment"] = moment

    @classmethod
    def of(cls, stored: StoredEvent, position: int, moment: datetime) -> Self:
        """Return what an event is once the log holds it."""
        stream = str(stored.originator_id)
        return cls(stream, stored.originator_version, stored.topic, stored.state, position, moment)

    @property
    def position(self) -> int:
        """Where it is in the log."""
        return self.id

    @property
    def key_id(self) -> str | None:
        """The id of the key that it is sealed under; None: it is in the clear."""
        return key_id_of(self.state)

    def unlock(self, key: Key | None) -> None:
        """Take the key that it is sealed under."""
        self.__dict__["key"] = key

    @property
    def place(self) -> "Place":
        """What tells it from others that the log may have instead."""
        return Place(self.originator_version, self.id, self.moment, self.topic, len(self.state))


class Place(NamedTuple):
    """Where an event of a stream is in the log: what tells it from one that a restored log has instead."""

    version: int
    position: int
    moment: datetime
    topic: str
    size: int | None = None
    """Bytes of its state; None: not known."""

    def is_same(self, other: "Place | None") -> bool:
        """Tell whether both are the place of one event, as far as they are known."""
        if other is None or None in (self.size, other.size):
            return other is not None and self[:-1] == other[:-1]
        return self == other


class Stretch(NamedTuple):
    """Some events of a stream, one after the other."""

    before: Place | None
    """The event that they follow; None: there is none."""
    events: list[RecordedEvent]
    is_last: bool
    """Whether the stream had no others."""
    key_before: str | None = None
    """The id of the key of the event that they follow."""


class Snapshot(NamedTuple):
    """What a read table says an entity was; worth something only where the log agrees about the place."""

    place: Place
    named: dict[str, Any]
    """As `State.named` has it."""


class Decision(NamedTuple):
    """What was decided of a command that appends nothing, and on what."""

    originator_id: str
    originator_version: int
    """The stream's version that it was decided on; 0: it has no events."""
    decision: str
    """That nothing had to be done, or why it was refused: in one line, without values."""


class Append(NamedTuple):
    """One command's events: all of them are appended, or none. Or what was decided instead of them."""

    command_id: UUID
    events: tuple[StoredEvent, ...] = ()
    decision: Decision | None = None
    fingerprint: str | None = None
    """Tells the command from another one with its id. None: nobody sends it again, so no decision is kept."""

    @property
    def size(self) -> int:
        """Bytes of state."""
        return sum(len(event.state) for event in self.events)


class Appended(NamedTuple):
    """The events that a command has in the log."""

    events: tuple[RecordedEvent, ...]


class Decided(NamedTuple):
    """What the log holds of a command that appended nothing."""

    decision: Decision
    position: int
    """Of the stream's last event at that version, or 0."""
    fingerprint: str | None

    @property
    def events(self) -> tuple[RecordedEvent, ...]:
        """The events that it has in the log: none."""
        return ()


class VersionConflict(Exception):
    """Another command has appended to the stream: decide again, on its new version."""


class LogUnavailable(Exception):
    """The log could not be reached in time; whether the command was appended is not known."""


class ClockJumped(Exception):
    """Nothing was appended: the clocks differ by more than can be, or the log's time lies in the future."""
