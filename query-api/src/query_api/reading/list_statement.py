"""The statement that reads a list as it is now: its entity tag and its rows, as of one moment."""

from collections.abc import Collection
from functools import cache, lru_cache
from typing import Any, Final

from psycopg import sql

from projections.tables import EntityTable
from query_api.paging.filters import asked_of
from query_api.paging.statement import page_parameters, page_statement
from query_api.paging.view import View
from query_api.reading.bounds import LIST_BYTES
from query_api.reading.contents import contents, contents_parameters

# Rows hold JSON text as it is served, or boxes with it. It is passed on as bytes, never parsed.
LIST: Final = sql.SQL(
    """
    SELECT
      progress.etag,
      EXISTS (SELECT FROM read.quarantined_streams WHERE projection = %(projection)s),
      progress.is_whole,
      progress.position,
      CASE WHEN progress.is_whole AND progress.etag <> ALL (%(known_etags)s) THEN ({found}) END
    FROM (
      SELECT
        format(
          '"%%s-%%s-%%s-%%s%%s"',
          identity.log_id,
          coalesce(kept.version, %(version)s),
          coalesce(kept.generation, 0),
          coalesce(kept.changed_position, 0),
          %(view)s::text
        ) AS etag,
        coalesce(kept.position, 0) AS position,
        {is_whole} AS is_whole
      FROM log.identity LEFT JOIN read.positions AS kept ON kept.projection = %(projection)s
    ) AS progress
    """
)
"""Reads as of one moment an entity tag, how far it tells, and what is `found` unless the client has it."""

IS_WHOLE: Final = sql.SQL(
    """
    coalesce(kept.position, 0) = 0
    OR kept.version >= %(version)s
    AND EXISTS (SELECT FROM read.searches WHERE projection = %(projection)s AND version >= %(version)s)
    """
)
"""Whether what is searched and sorted by is there, of all rows."""


def list_statement(
    table: EntityTable,
    view: View | None,
    known_etags: Collection[str],
    *,
    names_rows: bool = False,
    without: Collection[str] = (),
) -> tuple[bytes, dict[str, Any]]:
    """Return the statement that reads a list, and its parameters.

    Args:
        table: the table.
        view: which page of it; None: all.
        known_etags: see `Lists.list`.
        names_rows: whether a page's rows are only named; see `Lists.page_rows`.
        without: ids of keys that nobody has: of what is sealed under these, what is harmless is read.
    """
    parameters = {
        "projection": table.name,
        "version": table.version,
        "known_etags": list(known_etags),
        **contents_parameters(without),
    }
    if view is None:
        return _whole(table), {**parameters, "view": ""}
    statement = _page(
        table,
        needs_terms=view.needs_terms,
        sort=view.sort,
        descending=view.descending,
        sought=len(view.patterns),
        filtered=asked_of(table, view.filters),
        names_rows=names_rows,
    )
    return statement, {**parameters, "view": f"-{view.tag}", **page_parameters(table, view)}


@cache
def _whole(table: EntityTable) -> bytes:
    rows = contents(table.identifier, sql.SQL("id"), sql.SQL("count(*)"), most=LIST_BYTES)
    return LIST.format(is_whole=sql.SQL("true"), found=rows).as_bytes(None)


@lru_cache(maxsize=1024)
def _page(table: EntityTable, *, needs_terms: bool, **what: Any) -> bytes:
    is_whole = IS_WHOLE if needs_terms else sql.SQL("true")
    return LIST.format(is_whole=is_whole, found=page_statement(table, **what)).as_bytes(None)
