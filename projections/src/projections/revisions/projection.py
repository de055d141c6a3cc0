"""The projection that keeps `revisions`."""

from collections.abc import Sequence
from typing import Final

from command_api.domain.publication import DEFAULT_POLICY, PublicationPolicy
from command_api.event_store.records import RecordedEvent
from projections.engine.projection import Changes
from projections.engine.states import Known, Question, Stream
from projections.engine.writes import Insertion, Write
from projections.revisions.revision import JSON_COLUMNS, TYPES, Revision
from projections.revisions.states import question, revisions_of
from projections.tables import REVISIONS, ReadTable, next_table

_INSERT: Final = Insertion(
    tuple((name, "json" if name in JSON_COLUMNS else TYPES.get(name, "text")) for name in Revision._fields)
)


class RevisionsProjection:
    """Keeps one row for every position of the log; the state before an event is that of the row before it.

    It describes whatever the log holds, and sets no stream aside.
    """

    key: Final = "position"
    prefix: Final = ""

    def __init__(
        self, table: ReadTable = REVISIONS, *, publishing: PublicationPolicy = DEFAULT_POLICY
    ) -> None:
        """Describe the projection.

        Args:
            table: the table it keeps.
            publishing: what is published besides what is declared public.
        """
        self.table = table
        self._publishing = publishing

    def on_next_table(self) -> "RevisionsProjection":
        """See `Projection.on_next_table`."""
        return RevisionsProjection(next_table(self.table), publishing=self._publishing)

    def question(self, streams: Sequence[Stream]) -> Question:
        """See `Projection.question`."""
        return question(self.table, streams)

    def fold(self, events: Sequence[RecordedEvent], known: Known) -> Changes:
        """See `Projection.fold`."""
        rows = revisions_of(events, known.states, self._publishing)
        return Changes(events[-1].position, [Write(self.table, _INSERT, rows)], states=known.states)
