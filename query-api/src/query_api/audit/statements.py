"""The statements that read the timeline."""

from collections.abc import Sequence
from typing import Any, Final

from psycopg import sql

from ops.base.records.entities import ENTITY_TYPES
from projections.tables import REVISIONS
from query_api.audit.parameters import ENTITIES, Filter
from query_api.history.changes import FORMER, MASKED_COLUMNS, NAME, NAMED_BYTES, NAMED_COLUMNS
from query_api.masking.masking import PERSONAL_NAMES
from query_api.reading.source import within_bytes

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

# JSON is only taken apart where its text has the name.
_FIELD: Final = """
type <> entity || '.registered' AND strpos(changes::text, %(field)s) > 0
AND %(field)s IN (SELECT change ->> 'field' FROM json_array_elements(changes) AS change)
"""
# It is among the values that a registration sets, so it is not looked at twice.
_NAME_CONTAINS: Final = f"""
(
  type <> entity || '.registered'
  AND strpos(lower({NAME} COLLATE pg_c_utf8), lower(%(q)s COLLATE pg_c_utf8)) > 0
)
"""
# No control character can be in `q`, so nothing is found across two columns. What is sealed is looked at when
# it has been opened.
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
# Where personal data is masked it is not looked at: all JSON is taken apart, whatever it holds.
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
"""Parameters that say what is nobody's personal data, and what is."""

# Subjects are few; they are found by skipping through the index, from each one's entries to the next one's.
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
    """Return what reads the subject of whom the event stream calls so."""
    return _SUBJECT_OF.format(table=REVISIONS.identifier, pseudonym=sql.Literal(pseudonym))


def bounds_statement(wanted: Filter) -> sql.Composed:
    """Return what reads the two positions between which a filter's times let everything through."""
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
    """Return what reads the first changes of a stretch, and with each how many it has within the limit.

    Of what is sealed, what `q` looks for may not be in it.

    An id leads to a stream of each entity type that it may be of; in a stream, versions are in the order of
    positions.

    Args:
        wanted: the filter; parameters are what it knows, and `low`, `high`, `head` and `limit`.
        descending: whether the latest comes first.
        most: bytes of changes, after which there come no others.
        masked: whether it is for somebody who may not see personal data, of which nothing is looked for then;
            parameters are also those of `HARMLESS`.
    """
    rows = _rows(wanted, order="DESC" if descending else "ASC", masked=masked)
    columns, size = (MASKED_COLUMNS, "read.json_bytes(changes)") if masked else (NAMED_COLUMNS, NAMED_BYTES)
    return within_bytes(rows, columns=columns, size=size, key="position", descending=descending, most=most)


def conditions_of(wanted: Filter, *, masked: bool) -> list[str]:
    """Return the names of the conditions that a filter's members stand for."""
    given = [name for name in _FILTERED if getattr(wanted, name) is not None]
    return [_MASKED_CONDITIONS.get(name, name) for name in given] if masked else given


def _rows(wanted: Filter, *, order: str, masked: bool) -> sql.Composed:
    given = conditions_of(wanted, masked=masked)
    if wanted.id is None:
        if wanted.entities != ENTITIES:
            given.append("entities")
        conditions = all_of(given)
        if not wanted.tells_runs_once:
            return _select(conditions, key="position", order=order)
        source, conditions = told_once(conditions, descending=order == "DESC")
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
    """Return SQL of conditions by their names."""
    return sql.SQL(" AND ").join([sql.SQL(_CONDITIONS[name]) for name in given] or [sql.SQL("true")])
