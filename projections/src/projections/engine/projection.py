"""The interface of a projection: a fold of the log into a read table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from command_api.domain.state import State
from command_api.event_store.records import RecordedEvent
from projections.engine.quarantine import EventFailure
from projections.engine.states import KnownStates, StateQuery, Stream
from projections.engine.writes import Write
from read_model.tables import ReadTable


class Projection(Protocol):
    """Turns events into rows of one read table; holds no state of its own between batches."""

    @property
    def table(self) -> ReadTable:
        """The table; its name is the projection's name."""
        ...

    @property
    def key(self) -> str:
        """The table's primary key."""
        ...

    @property
    def prefix(self) -> str:
        """The prefix of the names of the streams whose events can change the table."""
        ...

    def state_query(self, streams: Sequence[Stream]) -> StateQuery:
        """Return the query of the table for the states of streams."""
        ...

    def fold(self, events: Sequence[RecordedEvent], known: KnownStates) -> "Changes":
        """Return the changes to the table by events of its streams, in position order.

        An event that cannot be applied must not raise: its stream is a failure among the changes. Any
        exception stops the projection before the batch.

        Args:
            events: in position order.
            known: the states before the events; a stream that is missing has no registered entity.
        """
        ...

    def on_next_table(self) -> "Projection":
        """Return this projection for the table that a rebuild fills."""
        ...


@dataclass(frozen=True)
class Changes:
    """The effect of events in one projection."""

    changed: int | None = None
    """The last position that changed the table; None if no event did."""
    writes: Sequence[Write] = ()
    failures: Mapping[str, EventFailure] = field(default_factory=dict)
    """The streams to quarantine, by name."""
    states: Mapping[Stream, State | None] = field(default_factory=dict)
    """The states after the events; complete once the rows of `writes` have been consumed."""


NO_CHANGES: Final = Changes()
