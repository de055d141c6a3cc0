"""The values that a list can be narrowed to, by one of its fields, and how many rows have each."""

import json
from collections.abc import Collection
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from psycopg import sql

from ops.base.http.problems import ValidationError, unavailable, validation_failed
from ops.base.records.json_values import json_bytes
from projections.tables import EntityTable
from query_api.http.representation import Content
from query_api.paging.filters import asked_of
from query_api.paging.keys import key_sql
from query_api.paging.statement import page_parameters, rows_found
from query_api.paging.view import View
from query_api.reading.bounds import LIST_BYTES
from query_api.reading.contents import contents, contents_parameters, rows_read
from query_api.reading.list_statement import IS_WHOLE, LIST
from query_api.reading.lists import NOT_WHOLE
from query_api.reading.source import Source, fetch

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


class Choices:
    """What lists can be narrowed to."""

    def __init__(self, source: Source) -> None:
        """Prepare to read from what has what lists are narrowed by: no replica."""
        self._source = source

    async def of(
        self, table: EntityTable, field: str, view: View, *, known_etags: Collection[str] = ()
    ) -> Content:
        """Return the values of a field, the most frequent first.

        Args:
            table: of which list.
            field: which of those that its values narrow.
            view: what the list is narrowed to already; what it says of that field does not count.
            known_etags: of answers the client has; if the current one is among them, nothing is read.

        Raises:
            Problem: 503, what lists are narrowed by is not there yet; 422, the rows are too long.
            KeysUnavailable: what is sealed cannot be opened now.
        """
        filters = tuple(one for one in view.filters if one[0] != field)
        said = [field, view.patterns, filters, view.masked]
        tag = sha256(json.dumps(said).encode()).hexdigest()[:16]
        statement = _statement(table, field, len(view.patterns), asked_of(table, filters))
        parameters = {
            "projection": table.name,
            "version": table.version,
            "view": f"-choices-{tag}",
            "known_etags": list(known_etags),
            **page_parameters(table, view),
        }

        async def read(without: Collection[str]) -> tuple[tuple[str, bool], Any]:
            every = {**parameters, **contents_parameters(without)}
            ((etag, stale, is_whole, _, found),) = await fetch(self._source, statement, every, prepare=False)
            if not is_whole:
                raise unavailable(NOT_WHOLE)
            return (etag, stale), found

        (etag, stale), rows = await rows_read(table, read)
        if rows is None and etag not in known_etags:
            raise validation_failed([ValidationError.at("field", message=_TOO_LONG)])
        if rows is None:
            return Content(etag, None, stale)
        items = json.loads(b"[%b]" % await rows.items())
        return choices_content(etag, [one[field] for one in items], json.loads(rows.told), stale=stale)


def choices_content(etag: str, values: list[str | None], counts: list[int], *, stale: bool) -> Content:
    """Return what is answered, of the most frequent values: one beyond those that are told, if there is."""
    told = [
        {"value": value, "count": count}
        for value, count in zip(values, counts, strict=True)
        if value is not None  # nobody has its key any more
    ]
    choices = told[:MOST_CHOICES]
    body = json_bytes({"choices": choices, "more": len(counts) > MOST_CHOICES})
    return Content(etag, body, stale, count=len(choices))


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
