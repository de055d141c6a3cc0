"""The values of a field that a list can be filtered by, with their numbers of rows."""

import json
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from psycopg import sql

from ops.base.http.problems import ValidationError, validation_failed
from ops.base.records.json_values import json_bytes
from query_api.database.decryption import fetch_list, rows_sql
from query_api.database.source import LIST_BYTES, Source
from query_api.http.representation import Content
from query_api.paging.filters import FilterShapes, filter_shapes, key_sql
from query_api.paging.statement import (
    LIST,
    SEARCH_IS_COMPLETE,
    list_parameters,
    page_parameters,
    row_conditions,
    tag_of,
)
from query_api.paging.view import ListView
from read_model.tables import EntityTable

MOST_CHOICES: Final = 200
_TOO_LONG: Final = "Must be another field: the records with its values are too long"

# Values that differ only in case or accents are one, spelt as in its first row.
_CHOICES: Final = sql.SQL(
    """
    WITH page AS MATERIALIZED (
      SELECT {key} AS key, count(*) AS number, min(id) AS id
      FROM {search} WHERE {condition} AND {key} <> ''
      GROUP BY 1 ORDER BY number DESC, key LIMIT {most}
    )
    SELECT {answer}
    """
)
_COUNTS: Final = sql.SQL("(SELECT coalesce(json_agg(number ORDER BY {order}), '[]') FROM {rows})")
_ORDER: Final = sql.SQL("number DESC, key")


async def load_choices(
    source: Source, table: EntityTable, field: str, view: ListView, *, known_etags: Collection[str] = ()
) -> Content:
    """Return the values of a field, the most frequent first.

    Args:
        source: the primary, because replicas have no search terms.
        field: a field with a filter by value.
        view: the list's filters; the filter on the field itself is ignored.
        known_etags: the client's entity tags; if the current one is among them, nothing is read.

    Raises:
        Problem: 503, the search index is incomplete; 422, the rows are too long.
    """
    filters = tuple(one for one in view.filters if one[0] != field)
    tag = tag_of([field, view.patterns, filters, view.masked])
    statement = _statement(table, field, len(view.patterns), filter_shapes(table, filters))
    parameters = list_parameters(table, f"-choices-{tag}", known_etags, **page_parameters(table, view))
    rows = await fetch_list(source, table, statement, parameters, prepare=False)
    if rows.summary is None:
        if rows.etag not in known_etags:
            raise validation_failed([ValidationError.at("field", message=_TOO_LONG)])
        return Content(rows.etag, None, rows.stale)
    values = [item[field] for item in json.loads(b"[%b]" % rows.items)]
    counts = json.loads(rows.summary)
    choices = [
        {"value": value, "count": count}
        for value, count in zip(values, counts, strict=True)
        if value is not None  # the row's key was destroyed
    ][:MOST_CHOICES]  # the statement reads one more
    body = json_bytes({"choices": choices, "more": len(counts) > MOST_CHOICES})
    return Content(rows.etag, body, rows.stale, count=len(choices))


@lru_cache(maxsize=1024)
def _statement(table: EntityTable, field: str, patterns: int, filters: FilterShapes) -> bytes:
    rows = sql.SQL("page JOIN {} USING (id)").format(table.identifier)
    answer = rows_sql(rows, _ORDER, _COUNTS.format(order=_ORDER, rows=rows), most=LIST_BYTES)
    found = _CHOICES.format(
        key=key_sql(table, field),
        search=table.search.identifier,
        condition=row_conditions(table, patterns=patterns, filters=filters),
        most=sql.Literal(MOST_CHOICES + 1),
        answer=answer,
    )
    return LIST.format(is_complete=SEARCH_IS_COMPLETE, found=found).as_bytes(None)
