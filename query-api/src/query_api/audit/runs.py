"""A run, such as an import, as one entry of the timeline: its last change, and how many it has."""

from collections.abc import Sequence
from typing import Any, Final

from psycopg import sql

from projections.tables import REVISIONS

MOST_COUNTED: Final = 10_000
"""Of one run; those before are not counted."""

# In a run, what comes next is mostly of the same: that is seen without looking for its last change.
_SIDE_BY_SIDE: Final = sql.SQL(
    """
    (
      SELECT *, public_event ->> 'batch' AS run, {next} OVER (ORDER BY position {order}) AS next_run
      FROM {table}
      WHERE position > %(low)s AND position <= %(high)s AND {conditions}
    )
    """
)
_LAST_OF_RUN: Final = sql.SQL(
    """
    (run IS NULL OR run IS DISTINCT FROM next_run AND position = (
      SELECT later.position
      FROM {table} AS later
      WHERE later.public_event ->> 'batch' = run AND later.position <= %(head)s AND {conditions}
      ORDER BY later.position DESC
      LIMIT 1
    ))
    """
)

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


def told_once(conditions: sql.Composable, *, descending: bool) -> tuple[sql.Composed, sql.Composed]:
    """Return whence changes come that fulfil conditions, and which of these are in no run, or its last.

    Args:
        conditions: these.
        descending: whether the latest comes first.
    """
    given = {"table": REVISIONS.identifier, "conditions": conditions}
    order = {"order": sql.SQL("DESC" if descending else "ASC")}
    following = sql.SQL("{}(public_event ->> 'batch')").format(sql.SQL("lag" if descending else "lead"))
    return _SIDE_BY_SIDE.format(**given, **order, next=following), _LAST_OF_RUN.format(**given)


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
