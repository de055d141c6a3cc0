"""What a projection is: a fold of the log into a read table."""

from collections.abc import Sequence
from typing import Protocol

from psycopg import AsyncConnection

from projections.log import StoredEvent
from projections.tables import ReadTable


class Projection(Protocol):
    """Turns events into rows of one read table; holds no state of its own between batches."""

    @property
    def table(self) -> ReadTable:
        """The table it keeps; its name is the projection's name."""
        ...

    async def handle(self, connection: AsyncConnection, batch: Sequence[StoredEvent]) -> int | None:
        """Write what the events change.

        Args:
            connection: in the transaction that also moves the position; must not be committed here.
            batch: the events that follow the last handled one, in position order, of all entity types.

        Returns:
            The last position that changed the table; None when none did.

        Raises:
            EventNotApplied: an event must not be passed over. Nothing of the batch is kept.
        """
        ...
