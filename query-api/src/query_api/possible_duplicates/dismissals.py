"""Dismissed pairs, from the revisions."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from psycopg import sql

from query_api.database.source import Source, fetch
from query_api.history.changes import COLUMNS, load_changes
from query_api.history.wire import moment_text
from read_model.tables import EntityTable

Pair = tuple[str, str]

# The condition on the type is that of the index `revisions_of_dismissals`. A new registration ends
# dismissals: after an erasure, the id is of another person.
_LATEST: Final = """
SELECT DISTINCT ON (1, 2) least(entity_id, other), greatest(entity_id, other), position, dismissed
FROM (
  SELECT *, public_event ->> 'other' AS other, (public_event ->> 'dismissed')::boolean AS dismissed
  FROM read.revisions
  WHERE entity = %(entity)s AND split_part(type, '.', 2) = 'possible_duplicate_dismissed'
) AS dismissal
WHERE other IS NOT NULL AND NOT EXISTS (
  SELECT FROM read.revisions AS later
  WHERE later.entity = dismissal.entity AND later.entity_id IN (dismissal.entity_id, other)
    AND later.position > dismissal.position AND later.type = dismissal.entity || '.registered'
)
ORDER BY 1, 2, position DESC
"""
_CHANGES: Final = sql.SQL(
    "SELECT {} FROM (SELECT * FROM read.revisions WHERE position = ANY (%s::bigint[])) AS measured"
).format(COLUMNS)


async def dismissed_pairs(source: Source, table: EntityTable) -> Mapping[Pair, int]:
    """Return the positions of the events that dismissed pairs, by the pairs' ids in order."""
    rows = await fetch(source, _LATEST, {"entity": table.entity.name})
    return {(one, other): position for one, other, position, is_dismissed in rows if is_dismissed}


async def load_dismissals(
    source: Source, positions: Sequence[int], *, masked: bool, restricted: bool
) -> Mapping[int, dict[str, Any]]:
    """Return the JSON of dismissals by position.

    Args:
        masked: whether names and reasons are left out.
        restricted: whether names of restricted users are included.
    """
    rows = await fetch(source, _CHANGES, (list(positions),)) if positions else []
    return {
        one.position: {"moment": moment_text(one.moment), "actor": one.actor, "reason": one.reason}
        for one in await load_changes(rows, masked=masked, names=restricted)
    }
