"""Statements that read the ids and versions of a list's rows in batches, by keyset pagination.

Each statement begins after the last row of the previous batch and does not count, so its duration does not
grow with the list.
"""

from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from psycopg import sql

from query_api.paging.filters import FilterShapes, filter_shapes, key_sql, typed, value_sql
from query_api.paging.statement import (
    LIST,
    SEARCH_IS_COMPLETE,
    list_parameters,
    page_parameters,
    row_conditions,
)
from query_api.paging.view import ListView
from read_model.tables import EntityTable

Stage = Literal["all", "valued", "rest"]
"""A sorted list has its rows with a value first, and then the rest, by id."""


class RowName(NamedTuple):
    """A row's id, version and sort key."""

    id: str
    version: int
    key: str | None
    """None if the list is not sorted by a field."""


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


def walk_statement(
    table: EntityTable, view: ListView, stage: Stage, after: RowName | None
) -> tuple[bytes, dict[str, Any]]:
    """Return the statement that reads a batch of `view.size` rows, and its parameters.

    Args:
        after: the row after which to begin; None: at the first row of the stage.
    """
    statement = _statement(
        table,
        stage,
        sort=view.sort,
        descending=view.descending,
        patterns=len(view.patterns),
        filters=filter_shapes(table, view.filters),
        continues=after is not None,
    )
    following: dict[str, Any] = {} if after is None else {"after": after.id, "after_key": after.key}
    return statement, list_parameters(table, "", **page_parameters(table, view), **following)


@lru_cache(maxsize=1024)
def _statement(
    table: EntityTable,
    stage: Stage,
    *,
    sort: str,
    descending: bool,
    patterns: int,
    filters: FilterShapes,
    continues: bool,
) -> bytes:
    condition = row_conditions(table, patterns=patterns, filters=filters)
    is_filtered = bool(patterns or filters)
    source: sql.Composable = table.search.identifier if is_filtered or sort else table.identifier
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
            has_all=sql.Literal(not is_filtered),
        )
        conditions = [sql.SQL("true")]
    found = _PART.format(
        order=order,
        key=key,
        source=source,
        condition=sql.SQL(" AND ").join([*conditions, *([after] if continues else [])]),
    )
    is_complete = SEARCH_IS_COMPLETE if is_filtered or sort else sql.SQL("true")
    return LIST.format(is_complete=is_complete, found=found).as_bytes(None)
