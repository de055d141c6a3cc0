"""What commands need of a log: the one in PostgreSQL satisfies it, and so may another, as tests do."""

from typing import Protocol
from uuid import UUID

from command_api.event_store.records import (
    MAX_VERSION,
    Append,
    Appended,
    Decided,
    RecordedEvent,
    Snapshot,
    Stretch,
)


class Log(Protocol):
    """The append-only log of one fleet."""

    @property
    def clock_jumped(self) -> str | None:
        """What is wrong with the time, so that nothing is appended; None: nothing is."""

    @property
    def append_error(self) -> str | None:
        """The type of the error with which the last attempt to append failed; None: it succeeded."""

    async def append(self, append: Append) -> Appended | Decided:
        """Append all of one command's events, or keep what was decided instead.

        Returns:
            What was recorded; if the command had an outcome already, that.

        Raises:
            VersionConflict: another command came first.
            ClockJumped: nothing is appended, for the time cannot be.
            LogUnavailable: the log could not be reached in time.
        """

    async def stretch(self, originator_id: str, *, after: int = 0) -> Stretch:
        """Return the events of a stream that follow a version: as many as can well be held at once."""

    async def latest(self, originator_id: str, *, after: int, up_to: int, limit: int) -> list[RecordedEvent]:
        """Return the latest events of a stream between two versions, in their order.

        Args:
            originator_id: the stream.
            after: the version after which they come.
            up_to: the last version that may be among them.
            limit: the most events; they are fewer where they are large.
        """

    async def snapshot(self, entity: str, entity_id: str, *, up_to: int = MAX_VERSION) -> Snapshot | None:
        """Return the newest state that is known of an entity, up to a version; None where there is none."""

    async def head(self) -> int:
        """Return the position of the last event, or 0."""

    async def log_id(self) -> str:
        """Return the name of this log, without which its positions mean nothing."""

    async def record_views(self, batch_id: UUID, batch: bytes) -> None:
        """Add a batch of views to the access log, unless it holds the batch already.

        Args:
            batch_id: the batch's own id.
            batch: see `ops.base.access_log.batches.batch_of`.

        Raises:
            psycopg.OperationalError: it is unknown whether the batch was recorded; the call may be repeated.
        """

    def forget_id(self) -> None:
        """Look again which log this is, the next time somebody asks: it may have been replaced."""
