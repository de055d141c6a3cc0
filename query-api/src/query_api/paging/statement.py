"""The SQL that picks a page out of a read table."""

import json
from typing import Any, Final

from psycopg import sql

from projections.tables import EntityTable
from query_api.paging.filters import Asked, filter_conditions, filter_parameters
from query_api.paging.keys import WALKED, value_sql
from query_api.paging.view import MAX_PAGE, View
from query_api.reading.bounds import PAGE_BYTES
from query_api.reading.contents import contents

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
    convert_to(
      json_build_object(
        'ids', (SELECT json_agg(id ORDER BY {order}) FROM page),
        'versions', (SELECT json_agg(version ORDER BY {order}) FROM page JOIN {table} USING (id)),
        'page', {page}::json
      )::text,
      'UTF8'
    )
    """
)

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
    names_rows: bool = False,
) -> sql.Composed:
    """Return the scalar subquery that reads a view's rows, as `contents` has them.

    Its parameters are those of `page_parameters`.

    Args:
        table: of which table.
        sort: the field that it is sorted by; none: as the whole list is.
        descending: in which direction.
        sought: how many texts are looked for, any of which is enough; 0: it is not searched.
        filtered: what it is narrowed to besides.
        names_rows: whether it says only the ids and versions of its rows, however long these are.
    """
    order = sql.SQL("key DESC NULLS LAST, id" if descending else "key ASC NULLS LAST, id")
    if names_rows:
        answer: sql.Composable = _ROWS.format(table=table.identifier, order=order, page=PAGE_ITSELF.format())
    else:
        rows = sql.SQL("page JOIN {} USING (id)").format(table.identifier)
        answer = contents(rows, order, sql.SQL("(SELECT {})").format(PAGE_ITSELF.format()), most=PAGE_BYTES)
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
