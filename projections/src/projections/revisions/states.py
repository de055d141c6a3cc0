"""The states that the revisions themselves remember."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from psycopg import sql

from command_api.domain.publication import PublicationPolicy
from command_api.domain.state import State
from command_api.event_store.records import RecordedEvent
from projections.engine.states import STATES_BYTES, Question, Stream
from projections.revisions.revision import Revision, revise
from projections.tables import ReadTable

_LOAD: Final = sql.SQL(
    """
    SELECT entity, entity_id, version, state::text, false, key_id, box
    FROM (
      SELECT stream.*, version, state, key_id, box,
        coalesce(sum(coalesce(octet_length(box), read.json_bytes(state))) OVER (
          ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS bytes_before
      FROM unnest(%b::text[], %b::text[]) WITH ORDINALITY AS stream (entity, entity_id, number)
      LEFT JOIN LATERAL (
        SELECT version, state, key_id, box
        FROM {table} AS kept
        WHERE kept.entity = stream.entity AND kept.entity_id = stream.entity_id
        ORDER BY version DESC
        LIMIT 1
      ) AS latest ON true
    ) AS measured
    WHERE bytes_before < {bytes}
    """
)


def question(table: ReadTable, streams: Sequence[Stream]) -> Question:
    """Return what asks a table of revisions for the states that the streams' last revisions have."""
    entities, ids = zip(*streams, strict=True)
    return Question(_load(table), (list(entities), list(ids)), table.sealed_as)


@cache
def _load(table: ReadTable) -> bytes:
    return _LOAD.format(table=table.identifier, bytes=sql.Literal(STATES_BYTES)).as_bytes(None)


def revisions_of(
    events: Iterable[RecordedEvent], states: dict[Stream, State | None], publishing: PublicationPolicy
) -> Iterator[Revision]:
    """Describe events one after the other, and keep their streams' states.

    Args:
        events: in their order.
        states: before them, and with each further on.
        publishing: what is published besides what is declared public.
    """
    for event in events:
        stream = (event.entity, event.entity_id)
        revision, states[stream] = revise(states.get(stream), event, publishing)
        yield revision
