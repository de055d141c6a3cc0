"""What a projection is: a fold of the log into a read table."""

from collections.abc import Sequence
from typing import Protocol

from psycopg import AsyncConnection

from command_api.event_store.records import RecordedEvent
from projections.tables import ReadTable


class Filling(Protocol):
    """Fills an empty table with the whole log; it remembers states, so it cannot be resumed.

    Everything it writes, it writes over the connection that it was made with.
    """

    @property
    def prefix(self) -> str:
        """How the names of the streams begin whose events it takes."""
        ...

    async def take(self, events: Sequence[RecordedEvent]) -> None:
        """Take the next events of these streams, in position order."""
        ...

    async def finish(self) -> int:
        """Write what is not written yet, and set aside the streams with an event that cannot be applied.

        Returns:
            The last position that changed the table; 0 when none did.
        """
        ...


class Projection(Protocol):
    """Turns events into rows of one read table; holds no state of its own between batches."""

    @property
    def table(self) -> ReadTable:
        """The table it keeps; its name is the projection's name."""
        ...

    async def handle(self, connection: AsyncConnection, batch: Sequence[RecordedEvent]) -> int | None:
        """Write what the events change.

        Args:
            connection: in the transaction that also moves the position; must not be committed here.
            batch: the events that follow the last handled one, in position order, of all entity types.

        Whatever an event holds, it must not raise because of it: it sets the event's stream aside. What it
        raises stops the projection before the batch.

        Returns:
            The last position that changed the table; None when none did.
        """
        ...

    def is_awaited(self, events: Sequence[RecordedEvent]) -> bool:
        """Whether whoever caused these events may be about to look for them in this table."""
        ...

    def on_next_table(self) -> "Projection":
        """Return the same projection, for the table that is to take this one's place."""
        ...

    @property
    def key(self) -> str:
        """The column by which the rows of the table are distinguished."""
        ...

    def filling(self, connection: AsyncConnection) -> Filling:
        """Return what fills the empty table from the beginning of the log."""
        ...
