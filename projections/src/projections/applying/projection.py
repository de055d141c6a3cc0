"""What a projection is: a fold of the log into a read table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, LiteralString, Protocol

from psycopg import AsyncConnection

from command_api.event_store.records import RecordedEvent
from projections.applying.quarantine import Failure, set_aside
from projections.applying.states import Known, Question, Stream, with_states
from projections.applying.writing import Insertion, Statement, deletion
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
        """Write what the events change, however much that is.

        Args:
            connection: in the transaction that also moves the position; must not be committed here.
            batch: the events that follow the last handled one, in position order, of all entity types.

        Whatever an event holds, it must not raise because of it: it sets the event's stream aside. What it
        raises stops the projection before the batch.

        Returns:
            The last position that changed the table; None when none did.
        """
        ...

    def concerns(self, event: RecordedEvent) -> bool:
        """Tell whether the event can change the table."""
        ...

    def question(self, streams: Sequence[Stream]) -> Question:
        """Return what asks the table for the states of streams."""
        ...

    def fold(self, events: Sequence[RecordedEvent], known: Known) -> "Changes":
        """Return what events change.

        Args:
            events: in position order, those that concern it.
            known: the states before them; of streams that are not in it, nothing is registered.
        """
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


@dataclass(frozen=True)
class Changes:
    """What events come to in one table."""

    changed: int | None = None
    """The last position that changed the table; None when none did."""
    insertion: Insertion | None = None
    rows: Iterable[tuple[Any, ...]] = ()
    """To be written; made one by one, for they may be large."""
    removed: Sequence[str] = ()
    """Ids of rows that go."""
    failures: Mapping[str, Failure] = field(default_factory=dict)
    """By name, the streams that cannot go on."""

    def at_once(self, table: ReadTable, condition: LiteralString) -> list[Statement] | None:
        """Return what writes all of it where a condition holds; None: it takes more than that."""
        if self.failures:
            return None
        written = [deletion(table, self.removed, condition)] if self.removed else []
        if self.insertion is not None:
            inserting = list(islice(self.insertion.statements(table, self.rows, condition), 2))
            if len(inserting) > 1:
                return None
            written += inserting
        return written


NO_CHANGES: Final = Changes()


async def handle_in_portions(
    connection: AsyncConnection, projection: Projection, batch: Sequence[RecordedEvent]
) -> int | None:
    """Do what `Projection.handle` promises, with as many states at once as fit into memory."""
    changed: int | None = None
    concerned = [event for event in batch if projection.concerns(event)]
    async for events, known in with_states(connection, projection.question, concerned):
        changes = projection.fold(events, known)
        if changes.removed:
            await connection.execute(*deletion(projection.table, changes.removed))
        if changes.insertion is not None:
            for statement in changes.insertion.statements(projection.table, changes.rows):
                await connection.execute(*statement)
        await set_aside(connection, projection.table, changes.failures)
        changed = changed if changes.changed is None else changes.changed
    return changed
