"""The statement that reads which documents are due: a page of them by date, and how many there are."""

import json
from collections.abc import Collection
from functools import cache
from hashlib import sha256
from typing import Any, Final

from psycopg import sql

from projections.tables import ENTITY_TABLES, EntityTable
from projections.tables.search_terms import key_of
from query_api.due.parameters import DOCUMENTS, DueParameters
from query_api.paging.filters import FIRST_DAY
from query_api.paging.keys import key_sql
from query_api.paging.statement import PAGE_ITSELF
from query_api.reading.bounds import LIST_BYTES
from query_api.reading.contents import contents, contents_parameters
from query_api.reading.list_statement import IS_WHOLE, LIST

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


def due_statement(
    asked: DueParameters, known_etags: Collection[str], *, without: Collection[str] = ()
) -> tuple[bytes, dict[str, Any]]:
    """Return the statement that reads what is due, and its parameters; see `list_statement`.

    Args:
        asked: what is asked for.
        known_etags: of answers the client has.
        without: ids of keys that nobody has.
    """
    said = [asked.since, asked.until, asked.document, asked.page, asked.size]
    tag = sha256(json.dumps(said).encode()).hexdigest()[:16]
    return _statement(asked.documents), {
        "projection": DRIVERS.name,
        "version": DRIVERS.version,
        "view": f"-due-{tag}",
        "known_etags": list(known_etags),
        "since": key_of(asked.since or FIRST_DAY),
        "until": key_of(asked.until),
        "page": asked.page,
        "size": asked.size,
        **contents_parameters(without),
    }


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
