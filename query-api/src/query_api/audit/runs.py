"""A run, such as an import, as one entry of the timeline: its last change, and how many it has."""

from collections.abc import Sequence
from typing import Any, Final

from psycopg import sql

from projections.tables import REVISIONS

MOST_COUNTED: Final = 10_000
"""Of one run; those before are not counted."""

LAST_OF_RUN: Final = sql.SQL(
    """
    (public_event ->> 'batch' IS NULL OR position = (
      SELECT later.position
      FROM {table} AS later
      WHERE later.public_event ->> 'batch' = revision.public_event ->> 'batch'
        AND later.position <= %(head)s AND {conditions}
      ORDER BY later.position DESC
      LIMIT 1
    ))
    """
)
"""SQL of a change that is in no run, or is the last of one up to `head` that fulfils conditions."""

_COUNTS: Final = sql.SQL(
    """
    SELECT batch, type, count(*)
    FROM unnest(%(batches)s::text[]) AS run (batch) CROSS JOIN LATERAL (
      SELECT type
      FROM {table}
      WHERE public_event ->> 'batch' = batch AND position > %(low)s AND position <= %(high)s AND {conditions}
      ORDER BY position DESC
      LIMIT {most}
    ) AS changed
    GROUP BY batch, type
    """
)


def counts_statement(conditions: sql.Composable) -> sql.Composed:
    """Return what counts the changes of `batches` by their types, after `low` and up to `high`."""
    return _COUNTS.format(
        table=REVISIONS.identifier, conditions=conditions, most=sql.Literal(MOST_COUNTED + 1)
    )


def runs_in(rows: Sequence[tuple[str, str, int]]) -> dict[str, dict[str, Any]]:
    """Return how answers tell of runs, by their names; see `counts_statement`."""
    counts: dict[str, dict[str, int]] = {}
    for batch, event_type, count in rows:
        counts.setdefault(batch, {})[event_type] = count
    return {
        batch: {"changes": by_type, "is_whole": sum(by_type.values()) <= MOST_COUNTED}
        for batch, by_type in counts.items()
    }
