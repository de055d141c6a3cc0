"""Statements that read the audit trail."""

from collections.abc import Sequence
from typing import Any, Final

from psycopg import sql

from query_api.audit.parameters import ENTITIES, ChangeFilter
from query_api.database.source import within_bytes
from query_api.history.changes import FORMER, MASKED_COLUMNS, NAMED_BYTES, NAMED_COLUMNS
from read_model.tables import REVISIONS

MOST_COUNTED: Final = 10_000
"""Changes of a run that are counted, the latest first."""

# Most changes of a run are followed by another one of it, so the subquery for its last change seldom runs.
_WITH_NEXT_RUN: Final = sql.SQL(
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


def last_of_runs(conditions: sql.Composable, *, descending: bool) -> tuple[sql.Composed, sql.Composed]:
    """Return a FROM item of changes that fulfil conditions, and a condition that keeps a run's last one."""
    given = {"table": REVISIONS.identifier, "conditions": conditions}
    order = {"order": sql.SQL("DESC" if descending else "ASC")}
    following = sql.SQL("{}(public_event ->> 'batch')").format(sql.SQL("lag" if descending else "lead"))
    return _WITH_NEXT_RUN.format(**given, **order, next=following), _LAST_OF_RUN.format(**given)


def counts_statement(conditions: sql.Composable) -> sql.Composed:
    """Return the statement that counts the changes of `batches` by type, after `low` up to `high`."""
    return _COUNTS.format(
        table=REVISIONS.identifier, conditions=conditions, most=sql.Literal(MOST_COUNTED + 1)
    )


def runs_in(rows: Sequence[tuple[str, str, int]]) -> dict[str, dict[str, Any]]:
    """Return the JSON of runs by id, from the rows of `counts_statement`."""
    counts: dict[str, dict[str, int]] = {}
    for batch, event_type, count in rows:
        counts.setdefault(batch, {})[event_type] = count
    return {
        batch: {"changes": by_type, "is_whole": sum(by_type.values()) <= MOST_COUNTED}
        for batch, by_type in counts.items()
    }


LAST_BEFORE: Final = sql.SQL(
    "(SELECT position FROM {table} WHERE moment < {moment} ORDER BY moment DESC, position DESC LIMIT 1)"
)
BOUNDS: Final = sql.SQL(
    """
    SELECT
      CASE WHEN %(since)s::timestamptz IS NULL THEN 0 ELSE coalesce({low}, 0) END,
      CASE
        WHEN %(until)s::timestamptz IS NULL THEN coalesce((SELECT max(position) FROM {table}), 0)
        ELSE coalesce({high}, 0)
      END
    """
).format(
    table=REVISIONS.identifier,
    low=LAST_BEFORE.format(table=REVISIONS.identifier, moment=sql.SQL("%(since)s")),
    high=LAST_BEFORE.format(table=REVISIONS.identifier, moment=sql.SQL("%(until)s")),
)
"""Reads the positions before and at the end of a time span."""

_CHANGES: Final = sql.SQL(
    f"""
    SELECT *
    FROM {{source}} AS revision LEFT JOIN LATERAL ({FORMER}) AS former ON true
    WHERE position > %(low)s AND position <= %(high)s AND {{conditions}}
    ORDER BY {{key}} {{order}}
    LIMIT %(limit)s
    """
)

# JSON is parsed only if its text contains the field's name.
_FIELD: Final = """
type <> entity || '.registered' AND strpos(changes::text, %(field)s) > 0
AND %(field)s IN (SELECT change ->> 'field' FROM json_array_elements(changes) AS change)
"""
_CONDITIONS: Final = {
    "entities": "entity = ANY(%(entities)s)",
    "id": "entity_id = %(id)s",
    "actor": "actor_sub = %(actor)s",
    "by": "actor_is_program = (%(by)s = 'program')",
    "type": "type = ANY(%(types)s)",
    "field": _FIELD,
    "batch": "public_event ->> 'batch' = %(batch)s",
}

# Distinct subjects, which are few, by a loose index scan.
SUBJECT_OF: Final = sql.SQL(
    """
    WITH RECURSIVE subjects AS (
      (SELECT min(actor_sub) AS subject FROM {table})
      UNION ALL
      SELECT (SELECT min(actor_sub) FROM {table} WHERE actor_sub > subject)
      FROM subjects WHERE subject IS NOT NULL
    )
    SELECT subject
    FROM subjects CROSS JOIN LATERAL (
      SELECT public_event #>> '{{actor,id}}' AS pseudonym
      FROM {table} WHERE actor_sub = subject
      ORDER BY position DESC
      LIMIT 1
    ) AS latest
    WHERE pseudonym = %s
    LIMIT 1
    """
).format(table=REVISIONS.identifier)
"""Reads the subject with a pseudonym in the event stream."""


def changes_statement(
    wanted: ChangeFilter, *, descending: bool, most: int, masked: bool = False
) -> sql.Composed:
    """Return the statement that reads the first changes after `low` up to `high`; see `within_bytes`.

    The rows may not match `q`. With an id, each stream with that id is read, in the order of versions.

    Args:
        wanted: the filter; parameters are its members, `low`, `high`, `head` and `limit`.
        masked: whether personal data is masked, and so not read.
    """
    rows = _rows(wanted, order="DESC" if descending else "ASC")
    columns, size = (MASKED_COLUMNS, "read.json_bytes(changes)") if masked else (NAMED_COLUMNS, NAMED_BYTES)
    return within_bytes(rows, columns=columns, size=size, key="position", descending=descending, most=most)


def conditions_of(wanted: ChangeFilter) -> sql.Composed:
    """Return SQL of a filter's conditions, without `q`, which is searched after the decryption."""
    given = [name for name in _CONDITIONS if getattr(wanted, name) not in (None, ENTITIES)]
    return sql.SQL(" AND ").join([sql.SQL(_CONDITIONS[name]) for name in given] or [sql.SQL("true")])


def _rows(wanted: ChangeFilter, *, order: str) -> sql.Composed:
    conditions: sql.Composable = conditions_of(wanted)
    if wanted.id is None:
        if not wanted.shows_runs_once:
            return _select(conditions, key="position", order=order)
        source, conditions = last_of_runs(conditions, descending=order == "DESC")
        return _select(conditions, key="position", order=order, source=source)
    streams = [
        _select(
            sql.SQL("{} AND entity = {}").format(conditions, sql.Literal(entity)),
            key="version",
            order=order,
        )
        for entity in wanted.entities
    ]
    return sql.SQL("SELECT * FROM ({}) AS found ORDER BY position {} LIMIT %(limit)s").format(
        sql.SQL(" UNION ALL ").join(sql.SQL("({})").format(stream) for stream in streams), sql.SQL(order)
    )


def _select(
    conditions: sql.Composable,
    *,
    key: str,
    order: str,
    source: sql.Composable = REVISIONS.identifier,
) -> sql.Composed:
    return _CHANGES.format(
        table=REVISIONS.identifier,
        source=source,
        conditions=conditions,
        key=sql.Identifier(key),
        order=sql.SQL(order),
    )
