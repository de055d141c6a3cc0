"""Interface of the log for commands: the log in PostgreSQL implements it, and an in-memory log in tests."""

from typing import Protocol
from uuid import UUID

from command_api.event_store.records import (
    MAX_VERSION,
    AppendedEvents,
    AppendRequest,
    RecordedDecision,
    RecordedEvent,
    Snapshot,
    StreamPage,
)


class Log(Protocol):
    """The append-only log of one fleet."""

    @property
    def clock_jumped(self) -> str | None:
        """Why the current time cannot be recorded, so that nothing is appended; None: it can."""

    @property
    def append_error(self) -> str | None:
        """The type of the error of the last attempt to append; None: it succeeded."""

    async def append(self, request: AppendRequest) -> AppendedEvents | RecordedDecision:
        """Append all events of a command, or store its decision; a retry returns the first outcome.

        Raises:
            VersionConflict: another command has appended to the stream.
            ClockJumped: the current time cannot be recorded.
            LogUnavailable: the log could not be reached in time.
        """

    async def page(self, originator_id: str, *, after: int = 0) -> StreamPage:
        """Return the events of a stream after a version, limited in number and bytes."""

    async def latest(self, originator_id: str, *, after: int, up_to: int, limit: int) -> list[RecordedEvent]:
        """Return the latest events of a stream between two versions, in order, limited in bytes as well."""

    async def snapshot(self, originator_id: str, *, up_to: int = MAX_VERSION) -> Snapshot | None:
        """Return the newest snapshot of a stream up to a version; None if none is readable."""

    def add_snapshot(self, originator_id: str, key_id: str | None, snapshot: Snapshot) -> None:
        """Store a snapshot in the background, encrypted with the key of its event; errors are logged."""

    async def head(self) -> int:
        """Return the position of the last event, or 0."""

    async def log_id(self) -> str:
        """Return the id of this log; positions and versions of another log are not comparable."""

    async def record_views(self, batch_id: UUID, batch: bytes) -> None:
        """Add a batch of views to the access log, unless the access log has it already.

        Raises:
            psycopg.OperationalError: it is unknown whether the batch was recorded; the call may be repeated.
        """

    def forget_id(self) -> None:
        """Read the log's id again at the next call of `log_id`: the log may have been replaced."""
