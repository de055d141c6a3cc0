"""The SQL that reads a list as it is now, whole or a page of it."""

import json
from collections.abc import Collection
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, Final

from psycopg import sql

from ops.base.encryption.key_cache import KEYS
from projections.tables import EntityTable
from query_api.paging.filters import WALKED, Asked, asked_of, filter_conditions, filter_parameters, value_sql
from query_api.paging.view import MAX_PAGE, View
from query_api.reading.opening import contents
from query_api.reading.source import LIST_BYTES, PAGE_BYTES

# JSON is fetched of the page's rows alone. What is restricted has no terms: none finds it, it is listed last.
_ALL: Final = sql.SQL(
    """
    WITH page AS (
      SELECT id, key
      FROM (
        SELECT id, {key} AS key FROM {search}
        UNION ALL
        SELECT id, NULL FROM {table} WHERE restricted
      ) AS sorted
      ORDER BY {order} LIMIT least(%(size)s, %(up_to)s) OFFSET %(page)s::bigint * %(size)s
    ), total AS MATERIALIZED (
      SELECT (SELECT count(*) FROM {search}) + (SELECT count(*) FROM {table} WHERE restricted) AS elements
    )
    SELECT {answer}
    FROM total
    """
)
_BY_ID: Final = sql.SQL(
    """
    WITH page AS (
      SELECT id, id AS key FROM {table}
      ORDER BY {order} LIMIT least(%(size)s, %(up_to)s) OFFSET %(page)s::bigint * %(size)s
    ), total AS MATERIALIZED (
      SELECT count(*) AS elements FROM {table}
    )
    SELECT {answer}
    FROM total
    """
)
# What is found often is among the first rows in the list's order, as an index has it: the rest need only be
# counted, without the index of letters where it is much. What is found seldom is sorted.
_FOUND: Final = sql.SQL(
    """
    WITH first AS MATERIALIZED (
      SELECT id, key
      FROM (
        SELECT id, {key} AS key, search_text, sort_keys FROM {search} ORDER BY {order} LIMIT {first}
      ) AS looked_at
      WHERE {looked_through}
    ), known AS MATERIALIZED (
      SELECT count(*) >= %(up_to)s AS enough, count(*) * {share} > {first} AS often FROM first
    ), found AS MATERIALIZED (
      SELECT id, {key} AS key FROM {search} WHERE NOT (SELECT enough FROM known) AND {condition}
    ), page AS (
      SELECT id, key
      FROM (SELECT * FROM first WHERE (SELECT enough FROM known) UNION ALL SELECT * FROM found) AS sorted
      ORDER BY {order} LIMIT least(%(size)s, %(up_to)s) OFFSET %(page)s::bigint * %(size)s
    ), total AS MATERIALIZED (
      SELECT CASE
        WHEN NOT enough THEN (SELECT count(*) FROM found)
        WHEN often THEN (SELECT count(*) FROM {search} WHERE {looked_through})
        ELSE (SELECT count(*) FROM {search} WHERE {condition})
      END AS elements
      FROM known
    )
    SELECT {answer}
    FROM total
    """
)
_FIRST: Final = 5000
"""So many rows are looked at first: for some milliseconds."""
_SHARE: Final = 50
"""What one of so many rows has is found by looking through all sooner than by an index of letters."""

_ROWS: Final = sql.SQL(
    """
    ARRAY[convert_to(
      json_build_object(
        'ids', (SELECT json_agg(id ORDER BY {order}) FROM page),
        'versions', (SELECT json_agg(version ORDER BY {order}) FROM page JOIN {table} USING (id)),
        'page', {page}::json
      )::text,
      'UTF8'
    )]
    """
)
"""The ids and versions of a page's rows, where these are too long to be read at once."""

PAGE_ITSELF: Final = sql.SQL(
    """
    format(
      '{{"size":%%s,"number":%%s,"totalElements":%%s,"totalPages":%%s}}',
      %(size)s::bigint,
      %(page)s::bigint,
      elements,
      (elements + %(size)s - 1) / %(size)s
    )
    """
)
"""What a page says of itself, where there are `elements` on all."""

# No control character can be in `q`, so nothing is found across two lines. The index knows letters by threes.
_CONTAINS: Final = sql.SQL("search_text LIKE {}")
# The same to whoever reads, but an index of another collation is none.
_LOOKS_THROUGH: Final = sql.SQL('search_text COLLATE "ucs_basic" LIKE {}')


def page_statement(
    table: EntityTable,
    *,
    sort: str = "",
    descending: bool = False,
    sought: int = 0,
    filtered: Asked = (),
) -> sql.Composed:
    """Return the scalar subquery that reads a view's rows, as `contents` has them.

    Its parameters are those of `page_parameters`.

    Args:
        table: of which table.
        sort: the field that it is sorted by; none: as the whole list is.
        descending: in which direction.
        sought: how many texts are looked for, any of which is enough; 0: it is not searched.
        filtered: what it is narrowed to besides.
    """
    order = sql.SQL("key DESC NULLS LAST, id" if descending else "key ASC NULLS LAST, id")
    page = PAGE_ITSELF.format()
    answer = contents(
        sql.SQL("page JOIN {} USING (id)").format(table.identifier),
        order,
        sql.SQL("(SELECT {})").format(page),
        most=PAGE_BYTES,
        too_long=_ROWS.format(table=table.identifier, order=order, page=page),
    )
    parts = {"table": table.identifier, "search": table.search.identifier, "order": order, "answer": answer}
    if not (sort or sought or filtered):
        return _BY_ID.format(**parts)
    parts["key"] = value_sql(table, sort) if sort else sql.SQL("id")
    if not (sought or filtered):
        return _ALL.format(**parts)
    is_walked = not sort or (sort in WALKED.get(table.sealed_as, ()) and not descending)
    return _FOUND.format(
        **parts,
        first=sql.Literal(_FIRST if is_walked else 0),
        share=sql.Literal(_SHARE),
        condition=rows_found(table, sought=sought, filtered=filtered),
        looked_through=rows_found(table, sought=sought, filtered=filtered, contains=_LOOKS_THROUGH),
    )


def rows_found(
    table: EntityTable, *, sought: int, filtered: Asked, contains: sql.SQL = _CONTAINS
) -> sql.Composable:
    """Return SQL of what rows of a narrowed list fulfil; see `page_statement`."""
    contain = [contains.format(sql.Placeholder(f"sought_{number}")) for number in range(sought)]
    conditions = [*filter_conditions(table, filtered)]
    if contain:
        conditions.append(sql.SQL("({})").format(sql.SQL(" OR ").join(contain)))
    return sql.SQL(" AND ").join(conditions) if conditions else sql.SQL("true")


def rows_of_page(told: bytes) -> int:
    """Return how many rows a page has, of what it says of itself."""
    page: dict[str, int] = json.loads(told)
    left = page["totalElements"] - page["number"] * page["size"]
    return min(max(0, left), page["size"])


def rows_on_all_pages(body: bytes) -> int:
    """Return how many rows there are, of a page as it is answered."""
    elements: int = json.loads(body)["page"]["totalElements"]
    return elements


def page_parameters(table: EntityTable, view: View) -> dict[str, Any]:
    """Return the parameters of a view's statement."""
    return {
        "page": view.page,
        "size": view.size,
        "up_to": 0 if view.page == MAX_PAGE else (view.page + 1) * view.size,  # there are no rows so far
        **{f"sought_{number}": pattern for number, pattern in enumerate(view.patterns)},
        **filter_parameters(table, view.filters),
    }


# Rows hold JSON text as it is served, or boxes with it. It is passed on as bytes, never parsed.
LIST: Final = sql.SQL(
    """
    SELECT
      progress.etag,
      EXISTS (SELECT FROM read.quarantined_streams WHERE projection = %(projection)s),
      progress.is_whole,
      progress.position,
      CASE WHEN progress.is_whole AND progress.etag <> ALL (%(known_etags)s) THEN ({found}) END
    FROM (
      SELECT
        format(
          '"%%s-%%s-%%s-%%s%%s"',
          identity.log_id,
          coalesce(kept.version, %(version)s),
          coalesce(kept.generation, 0),
          coalesce(kept.changed_position, 0),
          %(view)s::text
        ) AS etag,
        coalesce(kept.position, 0) AS position,
        {is_whole} AS is_whole
      FROM log.identity LEFT JOIN read.positions AS kept ON kept.projection = %(projection)s
    ) AS progress
    """
)
"""Reads as of one moment an entity tag, how far it tells, and what is `found` unless the client has it."""

IS_WHOLE: Final = sql.SQL(
    """
    coalesce(kept.position, 0) = 0
    OR kept.version >= %(version)s
    AND EXISTS (SELECT FROM read.searches WHERE projection = %(projection)s AND version >= %(version)s)
    """
)
"""Whether what is searched and sorted by is there, of all rows."""


def list_parameters(
    table: EntityTable, tag: str, known_etags: Collection[str] = (), **more: Any
) -> dict[str, Any]:
    """Return the parameters of `LIST`, and others.

    Args:
        table: of which list.
        tag: distinguishes the entity tags of what is read from those of other parts of the list.
        known_etags: of lists the client has.
        more: others.
    """
    return {
        "projection": table.name,
        "version": table.version,
        "view": tag,
        "known_etags": list(known_etags),
        "opens": KEYS.is_configured,
        "without": [],
        **more,
    }


def list_statement(
    table: EntityTable, view: View | None, known_etags: Collection[str]
) -> tuple[bytes, dict[str, Any]]:
    """Return the statement that reads a list, and its parameters.

    Args:
        table: the table.
        view: which page of it; None: all.
        known_etags: see `Lists.list`.
    """
    if view is None:
        return _whole(table), list_parameters(table, "", known_etags)
    statement = _page(
        table,
        needs_terms=view.needs_terms,
        sort=view.sort,
        descending=view.descending,
        sought=len(view.patterns),
        filtered=asked_of(table, view.filters),
    )
    return statement, list_parameters(table, f"-{view.tag}", known_etags, **page_parameters(table, view))


def tag_of(asked: Any) -> str:
    """Return a digest that distinguishes what is asked for, of JSON values."""
    return sha256(json.dumps(asked).encode()).hexdigest()[:16]


@cache
def _whole(table: EntityTable) -> bytes:
    rows = contents(table.identifier, sql.SQL("id"), sql.SQL("count(*)"), most=LIST_BYTES)
    return LIST.format(is_whole=sql.SQL("true"), found=rows).as_bytes(None)


@lru_cache(maxsize=1024)
def _page(table: EntityTable, *, needs_terms: bool, **what: Any) -> bytes:
    is_whole = IS_WHOLE if needs_terms else sql.SQL("true")
    return LIST.format(is_whole=is_whole, found=page_statement(table, **what)).as_bytes(None)
