"""The values that a list can be narrowed to, by one of its fields, and how many rows have each."""

import json
from collections.abc import Collection
from functools import lru_cache
from typing import Any, Final

from psycopg import sql

from ops.base.http.problems import ValidationError, validation_failed
from ops.base.records.json_values import json_bytes
from projections.tables import EntityTable
from query_api.http.representation import Content
from query_api.paging.filters import asked_of, key_sql
from query_api.paging.statement import IS_WHOLE, LIST, list_parameters, page_parameters, rows_found, tag_of
from query_api.paging.view import View
from query_api.reading.opening import contents, read_list
from query_api.reading.source import LIST_BYTES, Source

MOST_CHOICES: Final = 200
_TOO_LONG: Final = "Must be another field: the records that have this one's values are too long"

# Values that are equal once folded are one; it is spelt as the first row has it.
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
    source: Source, table: EntityTable, field: str, view: View, *, known_etags: Collection[str] = ()
) -> Content:
    """Return the values of a field, the most frequent first.

    Args:
        source: has the search terms: no replica.
        table: of which list.
        field: which of those that its values narrow.
        view: what the list is narrowed to; the filter on the field itself is left out.
        known_etags: of answers the client has; if the current one is among them, nothing is read.

    Raises:
        Problem: 503, the search terms are not complete; 422, the rows are too long.
        KeysUnavailable: what is encrypted cannot be decrypted now.
    """
    filters = tuple(one for one in view.filters if one[0] != field)
    tag = tag_of([field, view.patterns, filters, view.masked])
    statement = _statement(table, field, len(view.patterns), asked_of(table, filters))
    parameters = list_parameters(table, f"-choices-{tag}", known_etags, **page_parameters(table, view))
    read = await read_list(source, table, statement, parameters, prepare=False)
    if read.told is None:
        if read.etag not in known_etags:
            raise validation_failed([ValidationError.at("field", message=_TOO_LONG)])
        return Content(read.etag, None, read.stale)
    values = [item[field] for item in json.loads(b"[%b]" % read.items)]
    counts = json.loads(read.told)
    told = [
        {"value": value, "count": count}
        for value, count in zip(values, counts, strict=True)
        if value is not None  # its key was destroyed
    ]
    choices = told[:MOST_CHOICES]  # one more is read, if there is one
    body = json_bytes({"choices": choices, "more": len(counts) > MOST_CHOICES})
    return Content(read.etag, body, read.stale, count=len(choices))


@lru_cache(maxsize=1024)
def _statement(table: EntityTable, field: str, *what: Any) -> bytes:
    sought, filtered = what
    rows = sql.SQL("page JOIN {} USING (id)").format(table.identifier)
    answer = contents(rows, _ORDER, _COUNTS.format(order=_ORDER, rows=rows), most=LIST_BYTES)
    found = _CHOICES.format(
        key=key_sql(table, field),
        search=table.search.identifier,
        condition=rows_found(table, sought=sought, filtered=filtered),
        most=sql.Literal(MOST_CHOICES + 1),
        answer=answer,
    )
    return LIST.format(is_whole=IS_WHOLE, found=found).as_bytes(None)
