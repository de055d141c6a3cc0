"""The states that the revisions themselves remember."""

import json
from collections.abc import Collection
from typing import Final

from psycopg import AsyncConnection, sql

from command_api.domain.folding import State
from projections.tables import ReadTable

Stream = tuple[str, str]
"""Entity type and id."""

_LOAD: Final = sql.SQL(
    """
    SELECT stream.entity, stream.entity_id, latest.version, latest.state::text
    FROM unnest(%s::text[], %s::text[]) AS stream (entity, entity_id)
    CROSS JOIN LATERAL (
      SELECT version, state
      FROM {table}
      WHERE entity = stream.entity AND entity_id = stream.entity_id
      ORDER BY version DESC
      LIMIT 1
    ) AS latest
    WHERE latest.state IS NOT NULL
    """
)


async def load_states(
    connection: AsyncConnection, table: ReadTable, streams: Collection[Stream]
) -> dict[Stream, State | None]:
    """Return the states that some streams' last revisions have.

    Args:
        connection: any.
        table: a table of revisions.
        streams: which; those without a revision, or whose last one has no state, are left out.
    """
    if not streams:
        return {}
    entities, ids = zip(*streams, strict=True)
    cursor = await connection.execute(_LOAD.format(table=table.identifier), (list(entities), list(ids)))
    return {
        (entity, entity_id): State.of_record(entity, version, json.loads(state))
        for entity, entity_id, version, state in await cursor.fetchall()
    }
