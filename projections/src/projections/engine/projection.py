"""The interface of a projection: a fold of the log into a read table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from command_api.domain.state import State
from command_api.event_store.records import RecordedEvent
from projections.engine.quarantine import Failure
from projections.engine.states import Known, Question, Stream
from projections.engine.writes import Write
from projections.tables import ReadTable


class Projection(Protocol):
    """Turns events into rows of one read table; holds no state of its own between batches."""

    @property
    def table(self) -> ReadTable:
        """The table; its name is the projection's name."""
        ...

    @property
    def key(self) -> str:
        """The column by which the rows of the table are distinguished."""
        ...

    @property
    def prefix(self) -> str:
        """The prefix of the names of the streams whose events can change the table."""
        ...

    def question(self, streams: Sequence[Stream]) -> Question:
        """Return the query of the table for the states of streams."""
        ...

    def fold(self, events: Sequence[RecordedEvent], known: Known) -> "Changes":
        """Return what events change.

        It must not raise because of an event: that event's stream is a failure among the changes. Any
        exception stops the projection before the batch.

        Args:
            events: in position order, those of its streams.
            known: the states before them; of streams that are not in it, nothing is registered.
        """
        ...

    def on_next_table(self) -> "Projection":
        """Return the same projection for the table that a rebuild fills."""
        ...


@dataclass(frozen=True)
class Changes:
    """The effect of events in one projection."""

    changed: int | None = None
    """The last position that changed the table; None if none did."""
    writes: Sequence[Write] = ()
    failures: Mapping[str, Failure] = field(default_factory=dict)
    """By name, the streams that are to be set aside."""
    states: Mapping[Stream, State | None] = field(default_factory=dict)
    """The states after the events; complete once `writes` have been used."""


NO_CHANGES: Final = Changes()
