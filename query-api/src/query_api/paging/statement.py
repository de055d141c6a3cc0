"""SQL that reads a current list or a page of it."""

import json
from collections.abc import Collection
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, Final

from psycopg import sql

from query_api.database.decryption import rows_sql
from query_api.database.source import LIST_BYTES, PAGE_BYTES
from query_api.paging.filters import (
    INDEXED_ORDERS,
    FilterShapes,
    filter_conditions,
    filter_parameters,
    filter_shapes,
    value_sql,
)
from query_api.paging.view import MAX_PAGE, ListView
from read_model.tables import EntityTable

# JSON is read only for the page's rows. Restricted rows have no search terms: no search finds them, and they
# are listed last.
_ALL: Final = sql.SQL(
    """
    WITH page AS (
      SELECT id, key FROM ({rows}) AS sorted
      ORDER BY {order} LIMIT least(%(size)s, %(up_to)s) OFFSET %(page)s::bigint * %(size)s
    ), total AS MATERIALIZED (
      SELECT {count} AS elements
    )
    SELECT {answer}
    FROM total
    """
)
_SORTED_ROWS: Final = sql.SQL(
    "SELECT id, {key} AS key FROM {search} UNION ALL SELECT id, NULL FROM {table} WHERE restricted"
)
_SORTED_COUNT: Final = sql.SQL(
    "(SELECT count(*) FROM {search}) + (SELECT count(*) FROM {table} WHERE restricted)"
)
# If many rows match, the first rows in the order of an index contain the page; the other rows are only
# counted, by a scan if they are many, otherwise by the trigram index. If few rows match, they are sorted.
_FOUND: Final = sql.SQL(
    """
    WITH first AS MATERIALIZED (
      SELECT id, key
      FROM (
        SELECT id, {key} AS key, search_text, sort_keys FROM {search} ORDER BY {order} LIMIT {first}
      ) AS indexed
      WHERE {scanned}
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
        WHEN often THEN (SELECT count(*) FROM {search} WHERE {scanned})
        ELSE (SELECT count(*) FROM {search} WHERE {condition})
      END AS elements
      FROM known
    )
    SELECT {answer}
    FROM total
    """
)
_FIRST: Final = 5000
"""Rows that are scanned first, which takes some milliseconds."""
_SHARE: Final = 50
"""If at least one of this number of rows matches, a scan is faster than the trigram index."""

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
"""The ids and versions of a page's rows, for pages that are too long to be read at once."""

PAGE_MEMBER: Final = sql.SQL(
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
"""The answer's member `page`, given the number of `elements` on all pages."""

# Search terms are lines, and `q` cannot contain control characters, so no match crosses two terms.
_CONTAINS: Final = sql.SQL("search_text LIKE {}")
# The same result, but another collation keeps PostgreSQL from using the trigram index.
_SCANS: Final = sql.SQL('search_text COLLATE "ucs_basic" LIKE {}')


def page_statement(
    table: EntityTable,
    *,
    sort: str = "",
    descending: bool = False,
    patterns: int = 0,
    filters: FilterShapes = (),
) -> sql.Composed:
    """Return the scalar subquery that reads a view's rows (see `rows_sql`), given `page_parameters`.

    Args:
        sort: the sort field; empty: by id.
        patterns: the number of search patterns; one must match.
    """
    order = sql.SQL("key DESC NULLS LAST, id" if descending else "key ASC NULLS LAST, id")
    page = PAGE_MEMBER.format()
    answer = rows_sql(
        sql.SQL("page JOIN {} USING (id)").format(table.identifier),
        order,
        sql.SQL("(SELECT {})").format(page),
        most=PAGE_BYTES,
        too_long=_ROWS.format(table=table.identifier, order=order, page=page),
    )
    parts = {"table": table.identifier, "search": table.search.identifier, "order": order, "answer": answer}
    if not (sort or patterns or filters):
        rows = sql.SQL("SELECT id, id AS key FROM {}").format(table.identifier)
        count = sql.SQL("(SELECT count(*) FROM {})").format(table.identifier)
        return _ALL.format(**parts, rows=rows, count=count)
    parts["key"] = value_sql(table, sort) if sort else sql.SQL("id")
    if not (patterns or filters):
        rows, count = _SORTED_ROWS.format(**parts), _SORTED_COUNT.format(**parts)
        return _ALL.format(**parts, rows=rows, count=count)
    is_indexed = not sort or (sort in INDEXED_ORDERS.get(table.encrypted_as, ()) and not descending)
    return _FOUND.format(
        **parts,
        first=sql.Literal(_FIRST if is_indexed else 0),
        share=sql.Literal(_SHARE),
        condition=row_conditions(table, patterns=patterns, filters=filters),
        scanned=row_conditions(table, patterns=patterns, filters=filters, contains=_SCANS),
    )


def row_conditions(
    table: EntityTable, *, patterns: int, filters: FilterShapes, contains: sql.SQL = _CONTAINS
) -> sql.Composable:
    """Return SQL of the conditions on a filtered list's rows; see `page_statement`."""
    contain = [contains.format(sql.Placeholder(f"pattern_{number}")) for number in range(patterns)]
    conditions = [*filter_conditions(table, filters)]
    if contain:
        conditions.append(sql.SQL("({})").format(sql.SQL(" OR ").join(contain)))
    return sql.SQL(" AND ").join(conditions) if conditions else sql.SQL("true")


def rows_of_page(member: bytes) -> int:
    """Return the number of a page's rows, given the answer's member `page`."""
    page: dict[str, int] = json.loads(member)
    left = page["totalElements"] - page["number"] * page["size"]
    return min(max(0, left), page["size"])


def rows_on_all_pages(body: bytes) -> int:
    """Return the number of rows on all pages, given the body of a page."""
    elements: int = json.loads(body)["page"]["totalElements"]
    return elements


def page_parameters(table: EntityTable, view: ListView) -> dict[str, Any]:
    """Return the parameters of a view's statement."""
    return {
        "page": view.page,
        "size": view.size,
        "up_to": 0 if view.page == MAX_PAGE else (view.page + 1) * view.size,  # the last page only counts
        **{f"pattern_{number}": pattern for number, pattern in enumerate(view.patterns)},
        **filter_parameters(table, view.filters),
    }


# Rows hold the JSON text that is served, or its ciphertext. It is passed on as bytes, never parsed.
LIST: Final = sql.SQL(
    """
    SELECT
      progress.etag,
      EXISTS (SELECT FROM read.quarantined_streams WHERE projection = %(projection)s),
      progress.is_complete,
      progress.position,
      CASE WHEN progress.is_complete AND progress.etag <> ALL (%(known_etags)s) THEN ({found}) END
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
        {is_complete} AS is_complete
      FROM log.identity LEFT JOIN read.positions AS kept ON kept.projection = %(projection)s
    ) AS progress
    """
)
"""Reads the entity tag, the position, and, unless the client has them, the rows `found`, from one moment."""

SEARCH_IS_COMPLETE: Final = sql.SQL(
    """
    coalesce(kept.position, 0) = 0
    OR kept.version >= %(version)s
    AND EXISTS (SELECT FROM read.searches WHERE projection = %(projection)s AND version >= %(version)s)
    """
)
"""Whether the search table has all rows."""


def list_parameters(
    table: EntityTable, tag: str, known_etags: Collection[str] = (), **more: Any
) -> dict[str, Any]:
    """Return the parameters of `LIST`, and more.

    Args:
        tag: the end of the entity tag, which distinguishes views of the list.
    """
    return {
        "projection": table.name,
        "version": table.version,
        "view": tag,
        "known_etags": list(known_etags),
        "without": [],
        **more,
    }


def list_statement(
    table: EntityTable, view: ListView | None, known_etags: Collection[str]
) -> tuple[bytes, dict[str, Any]]:
    """Return the statement that reads a page, or all rows if `view` is None, and its parameters."""
    if view is None:
        return _all_rows(table), list_parameters(table, "", known_etags)
    statement = _page(
        table,
        needs_terms=view.needs_terms,
        sort=view.sort,
        descending=view.descending,
        patterns=len(view.patterns),
        filters=filter_shapes(table, view.filters),
    )
    return statement, list_parameters(table, f"-{view.tag}", known_etags, **page_parameters(table, view))


def tag_of(parameters: Any) -> str:
    """Return a digest of JSON values, for entity tags."""
    return sha256(json.dumps(parameters).encode()).hexdigest()[:16]


@cache
def _all_rows(table: EntityTable) -> bytes:
    rows = rows_sql(table.identifier, sql.SQL("id"), sql.SQL("count(*)"), most=LIST_BYTES)
    return LIST.format(is_complete=sql.SQL("true"), found=rows).as_bytes(None)


@lru_cache(maxsize=1024)
def _page(table: EntityTable, *, needs_terms: bool, **what: Any) -> bytes:
    is_complete = SEARCH_IS_COMPLETE if needs_terms else sql.SQL("true")
    return LIST.format(is_complete=is_complete, found=page_statement(table, **what)).as_bytes(None)
