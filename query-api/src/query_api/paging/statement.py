"""The SQL that picks a page out of a read table."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from psycopg import sql

from ops.base.masks import is_personal
from projections.tables import EntityTable
from projections.tables.search_terms import folded, keyed_fields
from query_api.bounds import PAGE_BYTES
from query_api.contents import contents
from query_api.paging.filters import Asked, filter_conditions, filter_parameters
from query_api.paging.keys import key_sql
from query_api.paging.view import View

# Only ids and sort keys of all rows are kept at once; the JSON is fetched of the page's rows alone.
_PAGE: Final = sql.SQL(
    """
    WITH found AS MATERIALIZED (
      SELECT id, {key} AS key FROM {source} WHERE {condition}
    ), page AS (
      SELECT id, key FROM found ORDER BY {order} LIMIT %(size)s OFFSET %(page)s::bigint * %(size)s
    ), total AS (
      SELECT count(*) AS elements FROM found
    )
    SELECT {answer}
    FROM total
    """
)

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
_CONTAINS: Final = sql.SQL("search_text LIKE %(pattern)s")
# For those to whom personal data is masked only the rest is looked at, in each row alike.
_ID_CONTAINS: Final = sql.SQL("lower(id) LIKE %(pattern)s")
_KEY_CONTAINS: Final = sql.SQL("substr({key}, 2) LIKE %(pattern)s")
_VALUE_CONTAINS: Final = sql.SQL("lower((list_item #>> {path}) COLLATE pg_c_utf8) LIKE %(pattern)s")
_WILDCARDS: Final = re.compile(r"([%_\\])")

# What is restricted has no terms: it is found by none, and listed last.
_SORTED: Final = sql.SQL(
    "(SELECT id, sort_keys FROM {search} UNION ALL SELECT id, '' FROM {table} WHERE restricted) AS sorted"
)
_KEY: Final = sql.SQL("nullif({key}, '')")


def page_statement(
    table: EntityTable,
    *,
    sort: str,
    descending: bool = False,
    searched: bool = False,
    filtered: Asked = (),
    masked: bool = False,
    names_rows: bool = False,
) -> sql.Composed:
    """Return the scalar subquery that reads a view's rows, as `contents` has them.

    Its parameters are those of `page_parameters`.

    Args:
        table: of which table.
        sort: the field that it is sorted by.
        descending: in which direction.
        searched: whether it is searched.
        filtered: what it is narrowed to besides.
        masked: whether it is searched for somebody who may not see personal data.
        names_rows: whether it says only the ids and versions of its rows, however long these are.
    """
    order = sql.SQL("key DESC NULLS LAST, id" if descending else "key ASC NULLS LAST, id")
    if names_rows:
        answer: sql.Composable = _ROWS.format(table=table.identifier, order=order, page=PAGE_ITSELF.format())
    else:
        rows = sql.SQL("page JOIN {} USING (id)").format(table.identifier)
        answer = contents(rows, order, sql.SQL("(SELECT {})").format(PAGE_ITSELF.format()), most=PAGE_BYTES)
    if searched or filtered:
        source, condition = rows_found(table, searched=searched, filtered=filtered, masked=masked)
    else:
        source, condition = table.identifier, sql.SQL("true")
        if sort != "id":
            source = _SORTED.format(search=table.search.identifier, table=table.identifier)
    return _PAGE.format(
        source=source,
        key=_key(table, sort),
        condition=condition,
        order=order,
        answer=answer,
    )


def rows_found(
    table: EntityTable, *, searched: bool, filtered: Asked, masked: bool
) -> tuple[sql.Composable, sql.Composable]:
    """Return which rows of search terms a narrowed list has, as FROM and as WHERE; see `page_statement`."""
    source: sql.Composable = table.search.identifier
    paths = _harmless(table) if masked else []
    if searched and any(path != "id" and path not in keyed_fields(table.entity) for path in paths):
        source = sql.SQL("{} JOIN {} USING (id)").format(source, table.identifier)
    conditions = [_condition(table, paths)] if searched else []
    conditions += filter_conditions(table, filtered)
    return source, sql.SQL(" AND ").join(conditions) if conditions else sql.SQL("true")


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
    pattern = _WILDCARDS.sub(r"\\\1", folded(view.q))
    return {
        "page": view.page,
        "size": view.size,
        "pattern": f"%{pattern}%",
        **filter_parameters(table, view.filters),
    }


def _harmless(table: EntityTable) -> list[str]:
    """Return the searched fields that are not masked, unless none is."""
    harmless = [path for path in table.entity.searched if not is_personal(table.entity, path)]
    return [] if len(harmless) == len(table.entity.searched) else harmless


def _condition(table: EntityTable, paths: Sequence[str]) -> sql.Composable:
    if not paths:
        return _CONTAINS
    return sql.SQL("({})").format(sql.SQL(" OR ").join(_contains(table, path) for path in paths))


def _contains(table: EntityTable, path: str) -> sql.Composable:
    if path == "id":
        return _ID_CONTAINS
    if path in keyed_fields(table.entity):
        return _KEY_CONTAINS.format(key=key_sql(table, path))
    return _VALUE_CONTAINS.format(path=sql.Literal(path.split(".")))


def _key(table: EntityTable, name: str) -> sql.Composable:
    if name == "id":
        return sql.SQL("id")  # in the order of the whole list
    key = _KEY.format(key=key_sql(table, name))
    return sql.SQL("{}::numeric").format(key) if keyed_fields(table.entity)[name] == "number" else key
