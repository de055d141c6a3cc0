"""The statements that name all rows of a list in their order: each goes on where the one before it ended.

So none looks at what comes before, nor counts, and none takes as long as the list is.
"""

from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from psycopg import sql

from projections.tables import EntityTable
from query_api.paging.filters import asked_of, key_sql, typed, value_sql
from query_api.paging.statement import IS_WHOLE, LIST, list_parameters, page_parameters, rows_found
from query_api.paging.view import View

Stage = Literal["all", "valued", "rest"]
"""Of a list that is sorted by a field, the rows with a value come first, and then the rest, by id."""


class Named(NamedTuple):
    """A row, as its list names it."""

    id: str
    version: int
    key: str | None
    """What it is sorted by, where that is a field."""


_PART: Final = sql.SQL(
    """
    SELECT convert_to(
      coalesce(json_agg(json_build_array(id, version, key::text) ORDER BY {order}), '[]')::text, 'UTF8'
    )
    FROM (
      SELECT id, version, {key} AS key FROM {source} WHERE {condition} ORDER BY {order} LIMIT %(size)s
    ) AS part
    """
)
_REST: Final = sql.SQL(
    """
    (
      SELECT id, version FROM {search} WHERE {condition} AND {key} = ''
      UNION ALL SELECT id, version FROM {table} WHERE restricted AND {has_all}
    ) AS rest
    """
)
_AFTER: Final = {
    False: sql.SQL("({key}, id) > ({after}, %(after)s)"),
    True: sql.SQL("{key} <= {after} AND ({key} < {after} OR id > %(after)s)"),
}


def stages_of(view: View) -> tuple[Stage, ...]:
    """Return which parts of a list come after one another."""
    return ("valued", "rest") if view.sort else ("all",)


def walk_statement(
    table: EntityTable, view: View, stage: Stage, after: Named | None
) -> tuple[bytes, dict[str, Any]]:
    """Return the statement that names rows, and its parameters; see `list_statement`.

    Args:
        table: of which list.
        view: how it is narrowed and sorted; its size is how many are named.
        stage: which of `stages_of`.
        after: the row after which to begin; None: at the first.
    """
    what = (view.sort, view.descending, len(view.patterns), asked_of(table, view.filters))
    following: dict[str, Any] = {} if after is None else {"after": after.id, "after_key": after.key}
    parameters = list_parameters(table, "", **page_parameters(table, view), **following)
    return _statement(table, stage, after is not None, *what), parameters


@lru_cache(maxsize=1024)
def _statement(table: EntityTable, stage: Stage, goes_on: bool, *what: Any) -> bytes:  # noqa: FBT001
    sort, descending, sought, filtered = what
    condition = rows_found(table, sought=sought, filtered=filtered)
    is_narrowed = bool(sought or filtered)
    source: sql.Composable = table.search.identifier if is_narrowed or sort else table.identifier
    key: sql.Composable = sql.SQL("NULL::text")
    order, conditions = sql.SQL("id"), [condition]
    after: sql.Composable = sql.SQL("id > %(after)s")
    if stage == "valued":
        key = value_sql(table, sort)
        after_key = typed(table, sort, sql.SQL("%(after_key)s::text"))
        order = sql.SQL("key DESC, id" if descending else "key, id")
        conditions = [condition, sql.SQL("{} IS NOT NULL").format(key)]
        after = _AFTER[descending].format(key=key, after=after_key)
    elif stage == "rest":
        source = _REST.format(
            search=table.search.identifier,
            condition=condition,
            key=key_sql(table, sort),
            table=table.identifier,
            has_all=sql.Literal(not is_narrowed),
        )
        conditions = [sql.SQL("true")]
    found = _PART.format(
        order=order,
        key=key,
        source=source,
        condition=sql.SQL(" AND ").join([*conditions, *([after] if goes_on else [])]),
    )
    is_whole = IS_WHOLE if is_narrowed or sort else sql.SQL("true")
    return LIST.format(is_whole=is_whole, found=found).as_bytes(None)
