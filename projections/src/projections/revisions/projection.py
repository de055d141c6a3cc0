"""The projection that keeps `revisions`."""

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from psycopg import AsyncConnection

from command_api.domain.folding import State
from projections.log import StoredEvent
from projections.revisions.revision import Revision, revise
from projections.states import remembered_state
from projections.tables import REVISIONS, ReadTable
from projections.writing import column_chunks

_Stream = tuple[str, str]  # entity type and id

_LOAD: Final = """
SELECT stream.entity, stream.entity_id, latest.version, latest.state::text
FROM unnest(%s::text[], %s::text[]) AS stream (entity, entity_id)
CROSS JOIN LATERAL (
  SELECT version, state
  FROM read.revisions
  WHERE entity = stream.entity AND entity_id = stream.entity_id
  ORDER BY version DESC
  LIMIT 1
) AS latest
WHERE latest.state IS NOT NULL
"""

_INSERT: Final = """
INSERT INTO read.revisions (
  position, entity, entity_id, version, type, moment,
  actor_sub, actor_name, request_id, traceparent, reason, changes, state, public_event
)
SELECT
  position, entity, entity_id, version, type, moment,
  actor_sub, actor_name, request_id, traceparent, reason, changes::json, state::json, public_event::json
FROM unnest(
  %b::bigint[], %b::text[], %b::text[], %b::bigint[], %b::text[], %b::timestamptz[],
  %b::text[], %b::text[], %b::text[], %b::text[], %b::text[], %b::text[], %b::text[], %b::text[]
) AS row (
  position, entity, entity_id, version, type, moment,
  actor_sub, actor_name, request_id, traceparent, reason, changes, state, public_event
)
"""


class RevisionsProjection:
    """Keeps one row for every position of the log; the state before an event is that of the row before it."""

    table: ReadTable = REVISIONS

    async def handle(self, connection: AsyncConnection, batch: Sequence[StoredEvent]) -> int | None:
        """Describe each event; see `Projection.handle`. Never raises `EventNotApplied`."""
        states = await self._load(connection, {(event.entity, event.entity_id) for event in batch})
        for columns in column_chunks(_rows(batch, states)):
            await connection.execute(_INSERT, columns)
        return batch[-1].position

    async def _load(
        self, connection: AsyncConnection, streams: Collection[_Stream]
    ) -> dict[_Stream, State | None]:
        entities, ids = zip(*streams, strict=True)
        cursor = await connection.execute(_LOAD, (list(entities), list(ids)))
        return {
            (entity, entity_id): remembered_state(entity, version, json.loads(state))
            for entity, entity_id, version, state in await cursor.fetchall()
        }


def _rows(batch: Sequence[StoredEvent], states: dict[_Stream, State | None]) -> Iterator[Revision]:
    for event in batch:
        stream = (event.entity, event.entity_id)
        revision, states[stream] = revise(states.get(stream), event)
        yield revision
