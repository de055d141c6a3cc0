"""Statements that read the audit trail."""

from collections.abc import Sequence
from typing import Any, Final

from psycopg import sql

from ops.base.records.entities import ENTITY_TYPES
from projections.tables import REVISIONS
from query_api.audit.parameters import ENTITIES, Filter
from query_api.database.source import within_bytes
from query_api.history.changes import FORMER, MASKED_COLUMNS, NAME, NAMED_BYTES, NAMED_COLUMNS
from query_api.masking.masks import PERSONAL_NAMES

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
_BOUNDS: Final = sql.SQL("SELECT coalesce({low}, 0), coalesce({high}, 0)")
_HEAD: Final = sql.SQL("(SELECT max(position) FROM {table})")

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
# A registration's values include the name.
_NAME_CONTAINS: Final = f"""
(
  type <> entity || '.registered'
  AND strpos(lower({NAME} COLLATE pg_c_utf8), lower(%(q)s COLLATE pg_c_utf8)) > 0
)
"""
# `q` cannot contain control characters, so no match crosses two columns. Encrypted rows are filtered after
# their decryption.
_CONTAINS: Final = rf"""
(
  key_id IS NOT NULL
  OR strpos(
    lower(concat_ws(
      E'\n', entity_id, actor_sub, actor_name, request_id, client_request_id, reason, changes::text)
      COLLATE pg_c_utf8),
    lower(%(q)s COLLATE pg_c_utf8)
  ) > 0
  OR {_NAME_CONTAINS}
)
"""
# For masked answers, only fields that are not personal are searched, in every row.
_HARMLESS_CONTAINS: Final = rf"""
(
  strpos(
    lower(concat_ws(
      E'\n', entity_id, actor_sub, CASE WHEN request_id ~ '^[0-9a-f]{{32}}$' THEN request_id END)
      COLLATE pg_c_utf8),
    lower(%(q)s COLLATE pg_c_utf8)
  ) > 0
  OR EXISTS (
    SELECT FROM json_array_elements(changes) AS change
    WHERE entity || '.' || (change ->> 'field') = ANY(%(harmless)s)
      AND strpos(lower(change::text COLLATE pg_c_utf8), lower(%(q)s COLLATE pg_c_utf8)) > 0
  )
  OR entity <> ALL(%(personal_names)s) AND {_NAME_CONTAINS}
)
"""
_CONDITIONS: Final = {
    "entities": "entity = ANY(%(entities)s)",
    "id": "entity_id = %(id)s",
    "actor": "actor_sub = %(actor)s",
    "type": "type = ANY(%(types)s)",
    "field": _FIELD,
    "batch": "public_event ->> 'batch' = %(batch)s",
    "q": _CONTAINS,
    "harmless": _HARMLESS_CONTAINS,
}
_FILTERED: Final = tuple(name for name in _CONDITIONS if name in Filter.model_fields)
_MASKED_CONDITIONS: Final = {"q": "harmless"}

HARMLESS: Final = {
    "harmless": [f"{entity.name}.{name}" for entity in ENTITY_TYPES for name in sorted(entity.harmless)],
    "personal_names": list(PERSONAL_NAMES),
}
"""Parameters of the conditions for masked answers."""

# Distinct subjects, which are few, by a loose index scan.
_SUBJECT_OF: Final = sql.SQL(
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
    WHERE pseudonym = {pseudonym}
    LIMIT 1
    """
)


def subject_statement(pseudonym: str) -> sql.Composed:
    """Return the statement that reads the subject with a pseudonym in the event stream."""
    return _SUBJECT_OF.format(table=REVISIONS.identifier, pseudonym=sql.Literal(pseudonym))


def bounds_statement(wanted: Filter) -> sql.Composed:
    """Return the statement that reads the positions before and at the end of a filter's time span."""
    table = REVISIONS.identifier
    low, high = (
        otherwise if moment is None else LAST_BEFORE.format(table=table, moment=sql.Literal(moment))
        for moment, otherwise in (
            (wanted.since, sql.SQL("0")),
            (wanted.until, _HEAD.format(table=table)),
        )
    )
    return _BOUNDS.format(low=low, high=high)


def changes_statement(wanted: Filter, *, descending: bool, most: int, masked: bool = False) -> sql.Composed:
    """Return the statement that reads the first changes after `low` up to `high`; see `within_bytes`.

    Encrypted rows may not match `q`. With an id, each stream with that id is read, in the order of versions.

    Args:
        wanted: the filter; parameters are its members, `low`, `high`, `head`, `limit`, and `HARMLESS`.
        most: the maximum size in bytes.
        masked: whether personal data is masked, and so not searched.
    """
    rows = _rows(wanted, order="DESC" if descending else "ASC", masked=masked)
    columns, size = (MASKED_COLUMNS, "read.json_bytes(changes)") if masked else (NAMED_COLUMNS, NAMED_BYTES)
    return within_bytes(rows, columns=columns, size=size, key="position", descending=descending, most=most)


def conditions_of(wanted: Filter, *, masked: bool) -> list[str]:
    """Return the names of a filter's conditions."""
    given = [name for name in _FILTERED if getattr(wanted, name) is not None]
    return [_MASKED_CONDITIONS.get(name, name) for name in given] if masked else given


def _rows(wanted: Filter, *, order: str, masked: bool) -> sql.Composed:
    given = conditions_of(wanted, masked=masked)
    if wanted.id is None:
        if wanted.entities != ENTITIES:
            given.append("entities")
        conditions = all_of(given)
        if not wanted.shows_runs_once:
            return _select(conditions, key="position", order=order)
        source, conditions = last_of_runs(conditions, descending=order == "DESC")
        return _select(conditions, key="position", order=order, source=source)
    streams = [
        _select(
            sql.SQL("{} AND entity = {}").format(all_of(given), sql.Literal(entity)),
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


def all_of(given: Sequence[str]) -> sql.Composable:
    """Return SQL of named conditions, joined with AND."""
    return sql.SQL(" AND ").join([sql.SQL(_CONDITIONS[name]) for name in given] or [sql.SQL("true")])
