"""The SQL that picks a page out of a read table's prepared JSON."""

from typing import Any, Final

from psycopg import sql

from projections.tables import EntityTable
from query_api.paging.fields import SEARCHED, sortable_fields
from query_api.paging.view import View

# Only ids and sort keys of all rows are kept at once; the JSON is fetched of the page's rows alone.
_PAGE: Final = sql.SQL(
    """
    WITH found AS MATERIALIZED (
      SELECT {table}.id, {key} AS key FROM {rows} WHERE {condition}
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

# One pass over a row's JSON takes out all that is wanted of it. The server cannot read a NUL there. No client
# can have sent one, but a row that has one all the same must not spoil the list for all others.
_FIELDS: Final = sql.SQL(
    r"""
    {table}, json_to_record(
      CASE WHEN {table}.list_item::text COLLATE "C" NOT LIKE '%%\\u0000%%' THEN {table}.list_item
      ELSE replace({table}.list_item::text, '\u0000', '\ufffd')::json END
    ) AS field ({columns})
    """
)

# No control character can be in `q`, so nothing is found across two fields.
_CONTAINS: Final = sql.SQL(
    r"""
    strpos(lower(concat_ws(E'\n', {texts}) COLLATE pg_c_utf8), lower(%(q)s COLLATE pg_c_utf8)) > 0
    """
)


def page_statement(table: EntityTable, view: View) -> sql.Composed:
    """Return the scalar subquery that makes a view's whole answer, as UTF-8 bytes.

    Its parameters are those of `page_parameters`.
    """
    kinds = sortable_fields(table)
    searched = SEARCHED[table.name] if view.q else ()
    needed = {path.partition(".")[0] for path in searched} | ({view.sort} - {"id"})
    rows: sql.Composable = table.identifier
    if needed:
        # What should be a text is taken out as one, which is quickest; numbers and objects are looked at.
        columns = (
            sql.SQL("{} {}").format(
                sql.Identifier(name), sql.SQL("text" if kinds.get(name) == "text" else "json")
            )
            for name in sorted(needed)
        )
        rows = _FIELDS.format(table=table.identifier, columns=sql.SQL(", ").join(columns))
    return _PAGE.format(
        table=table.identifier,
        key=_key(table, view.sort),
        rows=rows,
        condition=_condition(searched),
        order=sql.SQL("key DESC NULLS LAST, id" if view.descending else "key ASC NULLS LAST, id"),
    )


def page_parameters(view: View) -> dict[str, Any]:
    """Return the parameters of a view's statement."""
    return {"page": view.page, "size": view.size, "q": view.q}


def _key(table: EntityTable, name: str) -> sql.Composable:
    if name == "id":
        return sql.SQL("{}.id").format(table.identifier)  # in the order of the whole list
    field = sql.Identifier("field", name)
    if sortable_fields(table)[name] == "number":
        return sql.SQL("CASE json_typeof({0}) WHEN 'number' THEN {0}::text::numeric END").format(field)
    return sql.SQL("""lower({} COLLATE pg_c_utf8) COLLATE "C" """).format(field)


def _condition(searched: tuple[str, ...]) -> sql.Composable:
    if not searched:
        return sql.SQL("true")
    return _CONTAINS.format(texts=sql.SQL(", ").join(map(_text, searched)))


def _text(path: str) -> sql.Composable:
    first, _, member = path.partition(".")
    field = sql.Identifier("field", first)
    return sql.SQL("{} ->> {}").format(field, member) if member else field
