"""What goes into the log and what comes out of it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class NewEvent:
    """An event to append, at the version it must get."""

    originator_id: str
    originator_version: int
    topic: str
    state: bytes


@dataclass(frozen=True)
class RecordedEvent(NewEvent):
    """An event as the log holds it."""

    position: int
    moment: datetime


@dataclass(frozen=True)
class Append:
    """One command's events: all of them are appended, or none."""

    command_id: UUID
    events: tuple[NewEvent, ...]

    @property
    def size(self) -> int:
        """Bytes of state."""
        return sum(len(event.state) for event in self.events)


@dataclass(frozen=True)
class Appended:
    """The events that a command has in the log."""

    events: tuple[RecordedEvent, ...]


class VersionConflict(Exception):
    """Another command has appended to the stream: decide again, on its new version."""


class LogUnavailable(Exception):
    """The log could not be reached in time; whether the command was appended is not known."""
