"""Reads intervals: present ones from the table of assignments, and past ones from the revisions.

Each revision of an assignment is an interval, known from its moment to the moment of the next revision. A
table of its own finds the intervals of a record.
"""

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from psycopg import sql

from ops.base.http.problems import ValidationError, validation_failed
from query_api.assignments.parameters import RECORDS, AssignmentParameters, FreeParameters
from query_api.database.decryption import fetch_list, rows_sql
from query_api.database.source import LIST_BYTES, Source, fetch
from query_api.history.past_lists import PastLists
from query_api.history.past_states import LogPoint, merged_into_sql
from query_api.paging.filters import EXCEPT
from query_api.paging.statement import LIST, PAGE_MEMBER, list_parameters
from query_api.paging.view import ListView
from read_model.tables import ENTITY_TABLES, INTERVALS, REVISIONS, EntityTable, ReadTable

TABLES: Final = {table.entity.name: table for table in ENTITY_TABLES}
ASSIGNMENTS: Final = TABLES["assignment"]
_DEFAULT_SIZE: Final = 100
_TOO_LONG: Final = "Must be smaller: the page is too long"


class Intervals(NamedTuple):
    """A page of intervals."""

    content: bytes
    """Assignments as JSON, separated by commas."""
    page: bytes
    """The member `page` of the answer."""
    is_stale: bool = False


# The ranges include their start and exclude their end. Each has an index with the same expression.
_HOLDS: Final = sql.SQL("{time} && tstzrange(%(at)s, %(until)s, %(bounds)s)")
_TIMES: Final = {
    table: sql.SQL(time)
    for table, time in (
        (INTERVALS, "holds"),
        (ASSIGNMENTS, "read.assigned_time(record)"),
        (REVISIONS, "read.assigned_time(state)"),
    )
}

# An index alone finds the intervals of records; `infinity` is before an open end. OFFSET keeps the planner
# from scanning the index for the time alone.
_OF_RECORDS: Final = sql.SQL(
    """
    SELECT DISTINCT id, version, lower(holds) AS start
    FROM unnest({records}::text[]) AS asked (record) CROSS JOIN LATERAL (
      SELECT id, version, holds FROM {table} AS kept
      WHERE kept.record = asked.record AND {holds}
        AND known @> coalesce(%(known_at)s::timestamptz, 'infinity')
      OFFSET 0
    ) AS found
    """
)
_OF_ALL: Final = sql.SQL("SELECT id, record ->> 'starts_at' AS start FROM {table} WHERE {holds}")
# Of versions of one moment only the last was known. The first condition on moments is fast.
_OF_ALL_PAST: Final = sql.SQL(
    """
    SELECT entity_id AS id, version, state ->> 'starts_at' AS start
    FROM {table} AS one
    WHERE entity = 'assignment' AND moment <= %(known_at)s AND state IS NOT NULL AND {holds}
      AND tstzrange(moment, (
        SELECT later.moment FROM {table} AS later
        WHERE later.entity = one.entity AND later.entity_id = one.entity_id AND later.version > one.version
        ORDER BY later.version LIMIT 1
      )) @> %(known_at)s::timestamptz
    """
)

_ORDER: Final = sql.SQL("start DESC, id")
_PRESENT: Final = sql.SQL(
    """
    WITH found AS MATERIALIZED ({found}), page AS (
      SELECT id, start FROM found ORDER BY {order} LIMIT %(size)s OFFSET %(page)s::bigint * %(size)s
    ), total AS MATERIALIZED (
      SELECT count(*) AS elements FROM found
    )
    SELECT {answer}
    FROM total
    """
)
_PAST: Final = sql.SQL(
    """
    WITH found AS MATERIALIZED ({found}), page AS (
      SELECT * FROM found ORDER BY {order} LIMIT %(size)s OFFSET %(page)s::bigint * %(size)s
    )
    SELECT log_id, coalesce(generation, 0),
      (SELECT {page} FROM (SELECT count(*) AS elements FROM found) AS total),
      ARRAY(SELECT id FROM page ORDER BY {order}),
      ARRAY(SELECT version FROM page ORDER BY {order})
    FROM log.identity LEFT JOIN read.positions ON projection = {projection}
    """
)

_ASSIGNED: Final = sql.SQL(
    """
    WITH RECURSIVE assigned (id) AS (
      SELECT DISTINCT split_part(name, ':', 2)
      FROM {table} CROSS JOIN LATERAL unnest(read.assigned_records(record)) AS name
      WHERE {holds} AND starts_with(name, %(entity)s || ':')
      UNION SELECT ({merged_into}) FROM assigned WHERE id IS NOT NULL
    )
    SELECT id FROM assigned WHERE id IS NOT NULL
    """
).format(
    table=ASSIGNMENTS.identifier,
    holds=_HOLDS.format(time=_TIMES[ASSIGNMENTS]),
    merged_into=merged_into_sql(sql.SQL("assigned.id")),
)

_FORMER: Final = sql.SQL(
    """
    WITH RECURSIVE asked (id) AS (
      SELECT id FROM unnest(%(ids)s::text[]) AS asked (id)
      UNION SELECT merge.public_event ->> 'source'
      FROM asked JOIN {revisions} AS merge
        ON merge.entity = %(entity)s AND merge.entity_id = asked.id AND merge.type = merge.entity || '.merged'
      WHERE ({merged_into}) = asked.id
    )
    SELECT id FROM asked
    """
).format(
    revisions=REVISIONS.identifier, merged_into=merged_into_sql(sql.SQL("(merge.public_event ->> 'source')"))
)
"""The ids that were asked for, and those of the records that were merged into these."""
_MERGED: Final = sql.SQL(
    """
    WITH RECURSIVE former (id, last) AS (
      SELECT id, ({merged_into}) FROM unnest(%(ids)s::text[]) AS former (id)
      UNION SELECT former.last, ({merged_again}) FROM former WHERE former.last IS NOT NULL
    )
    SELECT id, last FROM former WHERE last IS NOT NULL
    """
).format(
    merged_into=merged_into_sql(sql.SQL("former.id")), merged_again=merged_into_sql(sql.SQL("former.last"))
)


async def load_intervals(
    source: Source, past_lists: PastLists, params: AssignmentParameters, *, masked: bool
) -> Intervals:
    """Return a page of intervals; those of a record include those of the records that were merged into it.

    Args:
        masked: whether the answer is for a user without `personal:read`: then the past is not decrypted.

    Raises:
        Problem: 422, the page is too long.
    """
    asked = {name: ids for name in RECORDS if (ids := getattr(params, name))}
    given: dict[str, Any] = {}
    for name, ids in asked.items():
        former = await fetch(source, _FORMER, {"entity": name, "ids": list(ids)})
        given[name] = [f"{name}:{one}" for (one,) in former]
    given |= {
        "at": params.at,
        "until": params.until or params.at,
        "bounds": "[]" if params.until is None else "[)",
        "size": params.size or _DEFAULT_SIZE,
        "page": params.page or 0,
        "known_at": params.known_at,
    }
    statement = _statement(tuple(asked), in_time=params.at is not None, past=params.known_at is not None)
    prepare = None if asked else False
    if params.known_at is not None:
        ((log_id, generation, page, ids, versions),) = await fetch(source, statement, given, prepare=prepare)
        named = list(zip(ids, versions, strict=True))
        point = LogPoint(log_id, generation, 0)
        past = past_lists.rows(ASSIGNMENTS.entity, point, named, masked=masked)
        return Intervals(b",".join([some async for some in past]) if named else b"", page.encode())
    rows = await fetch_list(
        source, ASSIGNMENTS, statement, list_parameters(ASSIGNMENTS, "", **given), prepare=prepare
    )
    if rows.summary is None:
        raise validation_failed([ValidationError.at("size", message=_TOO_LONG)])
    return Intervals(rows.items, rows.summary, rows.stale)


@lru_cache(maxsize=64)
def _statement(records: tuple[str, ...], *, in_time: bool, past: bool) -> bytes:
    table: ReadTable = INTERVALS if records else REVISIONS if past else ASSIGNMENTS
    parts = {
        "table": table.identifier,
        "holds": _HOLDS.format(time=_TIMES[table]) if in_time else sql.SQL("true"),
    }
    of_each = [_OF_RECORDS.format(**parts, records=sql.Placeholder(name)) for name in records]
    of_all = (_OF_ALL_PAST if past else _OF_ALL).format(**parts)
    found = sql.SQL(" INTERSECT ").join(of_each or [of_all])
    page = PAGE_MEMBER.format()
    if past:
        projection = sql.Literal(REVISIONS.name)
        return _PAST.format(found=found, projection=projection, order=_ORDER, page=page).as_bytes(None)
    rows = sql.SQL("page JOIN {} USING (id)").format(ASSIGNMENTS.identifier)
    answer = rows_sql(rows, _ORDER, sql.SQL("(SELECT {})").format(page), most=LIST_BYTES)
    return LIST.format(
        is_complete=sql.SQL("true"), found=_PRESENT.format(found=found, order=_ORDER, answer=answer)
    ).as_bytes(None)


async def without_assigned(
    source: Source, table: EntityTable, params: FreeParameters, view: ListView
) -> ListView:
    """Return a view of those of its records that have no assignment in the time of the parameters."""
    given = {"entity": table.entity.name, "at": params.free_from, "until": params.free_until, "bounds": "[)"}
    rows = await fetch(source, _ASSIGNED, given, prepare=False)
    return replace(view, filters=(*view.filters, (EXCEPT, tuple(sorted(one for (one,) in rows)))))


async def load_survivors(source: Source, entity: str, ids: Collection[str]) -> dict[str, str]:
    """Return the ids of the records into which records of a type were merged; their own for others."""
    merged = dict(await fetch(source, _MERGED, {"entity": entity, "ids": [*ids]}) if ids else ())
    survivors = {}
    for one in ids:
        last = one
        while last in merged:
            last = merged[last]
        survivors[one] = last
    return survivors
