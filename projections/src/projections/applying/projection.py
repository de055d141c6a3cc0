"""What a projection is: a fold of the log into a read table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, LiteralString, Protocol

from psycopg import AsyncConnection

from command_api.event_store.records import RecordedEvent
from projections.applying.quarantine import Failure, set_aside
from projections.applying.states import Known, Question, Stream, with_states
from projections.applying.writing import Statement, Writing
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
    """What events come to in one projection."""

    changed: int | None = None
    """The last position that changed the table; None when none did."""
    writings: Sequence[Writing] = ()
    failures: Mapping[str, Failure] = field(default_factory=dict)
    """By name, the streams that cannot go on."""

    def at_once(self, condition: LiteralString) -> list[Statement] | None:
        """Return what writes all of it where a condition holds; None: it takes more than that."""
        if self.failures:
            return None
        written: list[Statement] = []
        for writing in self.writings:
            most = 1 + bool(writing.removed)
            statements = list(islice(writing.statements(condition), most + 1))
            if len(statements) > most:
                return None
            written += statements
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
        for writing in changes.writings:
            for statement in writing.statements():
                await connection.execute(*statement)
        await set_aside(connection, projection.table, changes.failures)
        changed = changed if changes.changed is None else changes.changed
    return changed
