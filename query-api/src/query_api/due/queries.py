"""Reads pages of drivers' documents that have expired or will expire."""

import json
from collections.abc import Collection
from functools import cache
from typing import Any, Final

from psycopg import sql

from ops.base.http.problems import ValidationError, validation_failed
from ops.base.records.json_values import json_bytes
from query_api.database.decryption import fetch_list, rows_sql
from query_api.database.source import LIST_BYTES, Source
from query_api.due.parameters import DOCUMENTS, DueParameters
from query_api.http.representation import Content
from query_api.paging.filters import FIRST_DAY, key_sql
from query_api.paging.statement import (
    LIST,
    PAGE_MEMBER,
    SEARCH_IS_COMPLETE,
    list_parameters,
    rows_of_page,
    tag_of,
)
from read_model.tables import ENTITY_TABLES, EntityTable
from read_model.tables.search_terms import key_of

(_TABLE,) = (table for table in ENTITY_TABLES if table.entity.name == "driver")
DRIVERS: Final[EntityTable] = _TABLE

# Indexes on the sort keys find the days. Restricted drivers have no sort keys.
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
_SUMMARY: Final = sql.SQL(
    """
    json_build_object(
      'page', ({page})::json,
      'documents', (SELECT coalesce(json_agg(document ORDER BY {order}), '[]') FROM {rows})
    )
    """
)
_ORDER: Final = sql.SQL("key, id, document")


def due_statement(params: DueParameters, known_etags: Collection[str]) -> tuple[bytes, dict[str, Any]]:
    """Return the statement that reads a page of due dates, and its parameters."""
    tag = tag_of([params.since, params.until, params.document, params.page, params.size])
    return _statement(params.documents), list_parameters(
        DRIVERS,
        f"-due-{tag}",
        known_etags,
        since=key_of(params.since or FIRST_DAY),
        until=key_of(params.until),
        page=params.page,
        size=params.size,
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
    summary = _SUMMARY.format(page=PAGE_MEMBER.format(), order=_ORDER, rows=rows)
    answer = rows_sql(rows, _ORDER, sql.SQL("(SELECT {})").format(summary), most=LIST_BYTES)
    query = _DUE.format(found=found, answer=answer)
    return LIST.format(is_complete=SEARCH_IS_COMPLETE, found=query).as_bytes(None)


_TOO_LONG: Final = "Must be smaller: the page is too long"
PHONE: Final = "mobile_number_1"


async def load_due_dates(
    source: Source, params: DueParameters, *, known_etags: Collection[str] = ()
) -> Content:
    """Return a page of due dates, earliest first.

    Args:
        source: the primary, because replicas have no search terms.
        known_etags: the client's entity tags; if the current one is among them, nothing is read.

    Raises:
        Problem: 503, the search index is incomplete; 422, the page is too long.
    """
    statement, parameters = due_statement(params, known_etags)
    rows = await fetch_list(source, DRIVERS, statement, parameters, prepare=False)
    if rows.summary is None:
        if rows.etag not in known_etags:
            raise validation_failed([ValidationError.at("size", message=_TOO_LONG)])
        return Content(rows.etag, None, rows.stale)
    summary = json.loads(rows.summary)
    drivers = json.loads(b"[%b]" % rows.items)
    content = [due_date(*one) for one in zip(drivers, summary["documents"], strict=True)]
    page = summary["page"]
    body = {"content": [one for one in content if one["date"] is not None], "page": page}
    return Content(rows.etag, json_bytes(body), rows.stale, count=rows_of_page(json_bytes(page)))


def due_date(driver: dict[str, Any], document: str) -> dict[str, Any]:
    """Return a driver's due date as JSON; the date is null if the driver's key was destroyed."""
    return {
        "driver": driver["id"],
        "name": driver["name"],
        "mobile_number": driver[PHONE],
        "document": document,
        "date": driver[DOCUMENTS[document]],
    }
