"""The SQL that picks a page out of a read table."""

import re
from typing import Any, Final

from psycopg import sql

from projections.search_terms import KEY_END, folded, keyed_fields
from projections.tables import EntityTable
from query_api.paging.view import View

# Only ids and sort keys of all rows are kept at once; the JSON is fetched of the page's rows alone.
_PAGE: Final = sql.SQL(
    """
    WITH found AS MATERIALIZED (
      SELECT id, {key} AS key FROM {table} WHERE {condition}
    ), page AS (
      SELECT id, key FROM found ORDER BY {order} LIMIT %(size)s OFFSET %(page)s::bigint * %(size)s
    ), total AS (
      SELECT count(*) AS elements FROM found
    )
    SELECT convert_to(
      format(
        '{{"content":[%%s],"page":{{"size":%%s,"number":%%s,"totalElements":%%s,"totalPages":%%s}}}}',
        (SELECT string_agg(list_item::text, ',' ORDER BY {order}) FROM page JOIN {table} USING (id)),
        %(size)s::bigint,
        %(page)s::bigint,
        elements,
        (elements + %(size)s - 1) / %(size)s
      ),
      'UTF8'
    )
    FROM total
    """
)

# No control character can be in `q`, so nothing is found across two lines. The index knows letters by threes.
_CONTAINS: Final = sql.SQL("search_text LIKE %(pattern)s")
_WILDCARDS: Final = re.compile(r"([%_\\])")

_KEY: Final = sql.SQL("nullif(split_part(sort_keys, {end}, {number}), '')")


def page_statement(
    table: EntityTable, *, sort: str, descending: bool = False, searched: bool = False
) -> sql.Composed:
    """Return the scalar subquery that makes a view's whole answer, as UTF-8 bytes.

    Its parameters are those of `page_parameters`.

    Args:
        table: of which table.
        sort: the field that it is sorted by.
        descending: in which direction.
        searched: whether it is searched.
    """
    return _PAGE.format(
        table=table.identifier,
        key=_key(table, sort),
        condition=_CONTAINS if searched else sql.SQL("true"),
        order=sql.SQL("key DESC NULLS LAST, id" if descending else "key ASC NULLS LAST, id"),
    )


def page_parameters(view: View) -> dict[str, Any]:
    """Return the parameters of a view's statement."""
    pattern = _WILDCARDS.sub(r"\\\1", folded(view.q))
    return {"page": view.page, "size": view.size, "pattern": f"%{pattern}%"}


def _key(table: EntityTable, name: str) -> sql.Composable:
    if name == "id":
        return sql.SQL("id")  # in the order of the whole list
    fields = keyed_fields(table)
    key = _KEY.format(end=sql.Literal(KEY_END), number=sql.Literal(list(fields).index(name) + 1))
    return sql.SQL("{}::numeric").format(key) if fields[name] == "number" else key
