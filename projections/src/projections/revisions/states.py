"""The states that the revisions themselves remember."""

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Final

from psycopg import AsyncConnection, sql

from command_api.domain.folding import State
from command_api.domain.public import Publishing
from command_api.event_store.records import RecordedEvent
from projections.revisions.revision import Revision, revise
from projections.tables import ReadTable

Stream = tuple[str, str]
"""Entity type and id."""

STATES_BYTES: Final = 1_000_000
"""Of states in memory at once; a single larger one still comes."""

_LOAD: Final = sql.SQL(
    """
    SELECT entity, entity_id, version, state::text
    FROM (
      SELECT stream.*, version, state,
        coalesce(sum(read.json_bytes(state)) OVER (
          ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS bytes_before
      FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS stream (entity, entity_id, number)
      LEFT JOIN LATERAL (
        SELECT version, coalesce(own_state, state) AS state
        FROM {table} AS kept
        WHERE kept.entity = stream.entity AND kept.entity_id = stream.entity_id
        ORDER BY version DESC
        LIMIT 1
      ) AS latest ON true
    ) AS measured
    WHERE bytes_before < %s
    """
)


async def with_states(
    connection: AsyncConnection, table: ReadTable, events: Sequence[RecordedEvent]
) -> AsyncIterator[tuple[Sequence[RecordedEvent], dict[Stream, State | None]]]:
    """Give events in their order, as many at once as their streams' states fit into memory, with these.

    Args:
        connection: any; what comes of the events that were given must be there when the next are wanted.
        table: a table of revisions.
        events: the events.
    """
    while events:
        streams = [(event.entity, event.entity_id) for event in events]
        states = await _load(connection, table, list(dict.fromkeys(streams)))
        known = next((number for number, stream in enumerate(streams) if stream not in states), len(events))
        yield events[:known], states
        events = events[known:]


def revisions_of(
    events: Iterable[RecordedEvent], states: dict[Stream, State | None], publishing: Publishing
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


async def _load(
    connection: AsyncConnection, table: ReadTable, streams: Sequence[Stream]
) -> dict[Stream, State | None]:
    """Return the states that the first streams' last revisions have: of as many as fit, but at least one."""
    entities, ids = zip(*streams, strict=True)
    parameters = (list(entities), list(ids), STATES_BYTES)
    cursor = await connection.execute(_LOAD.format(table=table.identifier), parameters)
    return {
        (entity, entity_id): State.of_named(entity, version, json.loads(state)) if state else None
        for entity, entity_id, version, state in await cursor.fetchall()
    }
