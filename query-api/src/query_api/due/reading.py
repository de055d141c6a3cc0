"""Documents of drivers that have expired or will, read a page at a time."""

import json
from collections.abc import Collection
from functools import cache
from typing import Any, Final

from psycopg import sql

from ops.base.http.problems import ValidationError, validation_failed
from ops.base.records.json_values import json_bytes
from projections.tables import ENTITY_TABLES, EntityTable
from projections.tables.search_terms import key_of
from query_api.due.parameters import DOCUMENTS, DueParameters
from query_api.http.representation import Content
from query_api.paging.filters import FIRST_DAY, key_sql
from query_api.paging.statement import IS_WHOLE, LIST, PAGE_ITSELF, list_parameters, rows_of_page, tag_of
from query_api.reading.opening import contents, read_list
from query_api.reading.source import LIST_BYTES, Source

(_TABLE,) = (table for table in ENTITY_TABLES if table.entity.name == "driver")
DRIVERS: Final[EntityTable] = _TABLE

# An index has the days, of what lists are sorted by (migration 0028). What is restricted is not there.
_FOUND: Final = sql.SQL(
    """
    SELECT id, {key} AS key, {document} AS document FROM {search}
    WHERE {key} BETWEEN %(since)s AND %(until)s
    """
)

_DUE: Final = sql.SQL(
    """
    WITH found AS MATERIALIZED (
      {found}
    ), page AS (
      SELECT id, key, document FROM found
      ORDER BY key, id, document LIMIT %(size)s OFFSET %(page)s::bigint * %(size)s
    ), total AS MATERIALIZED (
      SELECT count(*) AS elements FROM found
    )
    SELECT {answer}
    FROM total
    """
)
_TOLD: Final = sql.SQL(
    """
    json_build_object(
      'page', ({page})::json,
      'documents', (SELECT coalesce(json_agg(document ORDER BY {order}), '[]') FROM {rows})
    )
    """
)
_ORDER: Final = sql.SQL("key, id, document")


def due_statement(asked: DueParameters, known_etags: Collection[str]) -> tuple[bytes, dict[str, Any]]:
    """Return the statement that reads a page of due dates, and its parameters.

    Args:
        asked: what is asked for.
        known_etags: of answers the client has.
    """
    tag = tag_of([asked.since, asked.until, asked.document, asked.page, asked.size])
    return _statement(asked.documents), list_parameters(
        DRIVERS,
        f"-due-{tag}",
        known_etags,
        since=key_of(asked.since or FIRST_DAY),
        until=key_of(asked.until),
        page=asked.page,
        size=asked.size,
    )


@cache
def _statement(documents: tuple[str, ...]) -> bytes:
    found = sql.SQL(" UNION ALL ").join(
        _FOUND.format(
            key=key_sql(DRIVERS, DOCUMENTS[document]),
            document=sql.Literal(document),
            search=DRIVERS.search.identifier,
        )
        for document in documents
    )
    rows = sql.SQL("page JOIN {} USING (id)").format(DRIVERS.identifier)
    told = _TOLD.format(page=PAGE_ITSELF.format(), order=_ORDER, rows=rows)
    answer = contents(rows, _ORDER, sql.SQL("(SELECT {})").format(told), most=LIST_BYTES)
    return LIST.format(is_whole=IS_WHOLE, found=_DUE.format(found=found, answer=answer)).as_bytes(None)


_TOO_LONG: Final = "Must be smaller: so many at once are too long"
PHONE: Final = "mobile_number_1"


async def load_due_dates(
    source: Source, asked: DueParameters, *, known_etags: Collection[str] = ()
) -> Content:
    """Return a page of due dates, in their order.

    Args:
        source: has what lists are sorted by: no replica.
        asked: which.
        known_etags: of answers the client has; if the current one is among them, nothing is read.

    Raises:
        Problem: 503, the search terms are not complete; 422, the page is too long.
        KeysUnavailable: what is encrypted cannot be decrypted now.
    """
    statement, parameters = due_statement(asked, known_etags)
    read = await read_list(source, DRIVERS, statement, parameters, prepare=False)
    if read.told is None:
        if read.etag not in known_etags:
            raise validation_failed([ValidationError.at("size", message=_TOO_LONG)])
        return Content(read.etag, None, read.stale)
    told = json.loads(read.told)
    drivers = json.loads(b"[%b]" % read.items)
    content = [due_date(*one) for one in zip(drivers, told["documents"], strict=True)]
    page = told["page"]
    body = {"content": [one for one in content if one["date"] is not None], "page": page}
    return Content(read.etag, json_bytes(body), read.stale, count=rows_of_page(json_bytes(page)))


def due_date(driver: dict[str, Any], document: str) -> dict[str, Any]:
    """Return what is told of a driver's document; its date is null where nobody has its key any more."""
    told = {"driver": driver["id"], "name": driver["name"], "mobile_number": driver[PHONE]}
    return {**told, "document": document, "date": driver[DOCUMENTS[document]]}
