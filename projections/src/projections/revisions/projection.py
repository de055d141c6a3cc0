"""The projection that maintains `revisions`."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from psycopg import sql

from command_api.domain.publication import DEFAULT_POLICY, PublicationPolicy
from command_api.domain.state import State
from command_api.event_store.records import RecordedEvent
from projections.engine.projection import Changes
from projections.engine.states import STATES_BYTES, KnownStates, StateQuery, Stream
from projections.engine.writes import Insertion, Write
from projections.revisions.revision import JSON_COLUMNS, TYPES, Revision, revise
from read_model.tables import REVISIONS, ReadTable, next_table

_INSERT: Final = Insertion(
    tuple((name, "json" if name in JSON_COLUMNS else TYPES.get(name, "text")) for name in Revision._fields)
)
_LOAD: Final = sql.SQL(
    """
    SELECT entity, entity_id, version, state::text, false, key_id, ciphertext
    FROM (
      SELECT stream.*, version, state, key_id, ciphertext,
        coalesce(sum(coalesce(octet_length(ciphertext), read.json_bytes(state))) OVER (
          ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS bytes_before
      FROM unnest(%b::text[], %b::text[]) WITH ORDINALITY AS stream (entity, entity_id, number)
      LEFT JOIN LATERAL (
        SELECT version, state, key_id, ciphertext
        FROM {table} AS kept
        WHERE kept.entity = stream.entity AND kept.entity_id = stream.entity_id
        ORDER BY version DESC
        LIMIT 1
      ) AS latest ON true
    ) AS measured
    WHERE bytes_before < {bytes}
    """
)


@cache
def _load(table: ReadTable) -> bytes:
    return _LOAD.format(table=table.identifier, bytes=sql.Literal(STATES_BYTES)).as_bytes(None)


class RevisionsProjection:
    """Inserts a row for every position of the log, and quarantines no stream.

    The state before an event is the state of its stream's last row.
    """

    key: Final = "position"
    prefix: Final = ""

    def __init__(
        self, table: ReadTable = REVISIONS, *, publishing: PublicationPolicy = DEFAULT_POLICY
    ) -> None:
        self.table = table
        self._publishing = publishing

    def on_next_table(self) -> "RevisionsProjection":
        """Return the projection into the table that a rebuild fills."""
        return RevisionsProjection(next_table(self.table), publishing=self._publishing)

    def state_query(self, streams: Sequence[Stream]) -> StateQuery:
        """Return the query for the states of the streams' last revisions."""
        entities, ids = zip(*streams, strict=True)
        return StateQuery(_load(self.table), (list(entities), list(ids)), self.table.encrypted_as)

    def fold(self, events: Sequence[RecordedEvent], known: KnownStates) -> Changes:
        """Describe each event; the rows are computed while they are written."""
        rows = self._revisions(events, known.states)
        return Changes(events[-1].position, [Write(self.table, _INSERT, rows)], states=known.states)

    def _revisions(
        self, events: Sequence[RecordedEvent], states: dict[Stream, State | None]
    ) -> Iterator[Revision]:
        for event in events:
            stream = (event.entity, event.entity_id)
            revision, states[stream] = revise(states.get(stream), event, self._publishing)
            yield revision
