"""Current lists, pages and records, each read with one statement and so from one moment."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from functools import cache
from json import loads
from typing import Any, Final

from psycopg import sql

from ops.base.http.consistency import LogPosition
from ops.base.http.problems import unavailable
from ops.base.http.record_etags import RecordETag
from ops.base.records.json_values import json_bytes
from query_api.database.decryption import SEARCH_INCOMPLETE, decrypt_record, fetch_list, position_of, rows_sql
from query_api.database.source import LIST_BYTES, KeyedRows, Source, fetch
from query_api.http.representation import Content, Missing
from query_api.paging.statement import LIST, list_parameters, list_statement, rows_of_page
from query_api.paging.view import COUNT, ListView
from query_api.paging.walk import RowName, Stage, walk_statement
from read_model.tables import ENTITY_TABLES, EntityTable


class Lists:
    """Reads current lists."""

    def __init__(self, source: Source, paged: Source | None = None, searched: Source | None = None) -> None:
        """Set the sources.

        Args:
            source: for complete lists.
            paged: for pages, which take longer; by default `source`.
            searched: for searched and sorted pages; never a replica, which has no search terms. By default
                `paged`.
        """
        self._source = source
        self._paged = paged or source
        self._searched = searched or self._paged

    async def list(
        self, table: EntityTable, view: ListView | None = None, *, known_etags: Collection[str] = ()
    ) -> Content:
        """Return a table as `{"content": […]}`, or a page of it with the member `page`.

        Args:
            view: the page; None: all rows, ordered by id.
            known_etags: the client's entity tags; if the current one is among them, no row is read.

        Raises:
            Problem: 503, the search index is incomplete.
        """
        source, prepare = self._source, None
        if view not in (None, COUNT):
            source, prepare = self._searched if view.needs_terms else self._paged, False
        statement, parameters = list_statement(table, view, known_etags)
        rows = await fetch_list(source, table, statement, parameters, prepare=prepare)
        if rows.summary is None:
            long_at = None if rows.etag in known_etags else rows.position
            return Content(rows.etag, None, rows.stale, long_at, row_names=rows.too_long)
        if view is None:
            return Content(rows.etag, b'{"content":[%b]}' % rows.items, rows.stale, count=int(rows.summary))
        json = b'{"content":[%b],"page":%b}' % (rows.items, rows.summary)
        return Content(rows.etag, json, rows.stale, count=rows_of_page(rows.summary))

    async def walk(
        self, table: EntityTable, view: ListView, *, at_once: int
    ) -> AsyncIterator[tuple[LogPosition, Sequence[bytes]]]:
        """Yield the ids and versions of all rows of a list in order, read in batches of `view.size`.

        Each batch is from one moment: its position, and texts `[[id, version], …]` of `at_once` rows each. In
        JSON, the rows take less memory during a long download.

        Raises:
            Problem: 503, the search index is incomplete.
        """
        source = self._searched if view.needs_terms else self._paged
        stages: tuple[Stage, ...] = ("valued", "rest") if view.sort else ("all",)
        for stage in stages:
            after: RowName | None = None
            while True:
                statement, parameters = walk_statement(table, view, stage, after)
                ((etag, _, is_complete, position, found),) = await fetch(
                    source, statement, parameters, prepare=False
                )
                if not is_complete:
                    raise unavailable(SEARCH_INCOMPLETE)
                rows = loads(found)
                is_last = len(rows) < view.size
                after = RowName(*rows[-1]) if rows else None
                named = [
                    json_bytes([row[:2] for row in rows[start : start + at_once]])
                    for start in range(0, len(rows), at_once)
                ]
                del rows, found
                yield position_of(etag, position), named
                if is_last:
                    break


_ITEMS: Final = sql.SQL("(SELECT * FROM {} WHERE id = ANY (%(ids)s::text[]) AND NOT restricted) AS wanted")


async def load_items(source: Source, table: EntityTable, ids: Sequence[str]) -> list[Any]:
    """Return the list items of records that exist and are not restricted; raises as `fetch_list` does."""
    rows = await fetch_list(source, table, _items(table), list_parameters(table, "", ids=ids), prepare=False)
    if rows.summary is not None:
        items: list[Any] = await asyncio.to_thread(loads, b"[%b]" % rows.items)
        return items
    half = len(ids) // 2  # too long to be read at once
    return [*await load_items(source, table, ids[:half]), *await load_items(source, table, ids[half:])]


@cache
def _items(table: EntityTable) -> bytes:
    rows = rows_sql(_ITEMS.format(table.identifier), sql.SQL("id"), sql.SQL("count(*)"), most=LIST_BYTES)
    return LIST.format(is_complete=sql.SQL("true"), found=rows).as_bytes(None)


_SINGLES: Final = sql.SQL(
    """
    SELECT
      wanted.id,
      kept.version,
      kept.restricted,
      identity.log_id,
      EXISTS (
        SELECT FROM read.quarantined_streams
        WHERE projection = {name} AND originator_id = {prefix} || wanted.id
      ),
      kept.key_id,
      kept.ciphertext,
      convert_to(kept.record::text, 'UTF8')
    FROM unnest(%s::text[]) AS wanted (id)
      CROSS JOIN log.identity
      LEFT JOIN {table} AS kept ON kept.id = wanted.id
    """
)


class Records:
    """Reads current records."""

    def __init__(self, source: Source) -> None:
        self._rows = {}
        for table in ENTITY_TABLES:
            statement = _SINGLES.format(
                name=sql.Literal(table.name),
                prefix=sql.Literal(f"{table.entity.name}:"),
                table=table.identifier,
            )
            self._rows[table.name] = KeyedRows(source, statement.as_bytes(None))

    async def single(self, table: EntityTable, entity_id: str) -> Content | Missing:
        """Return one record, wrapped as the specification requires, unmasked even if restricted."""

        version, restricted, log_id, stale, key_id, ciphertext, record = await self._rows[table.name].get(
            entity_id
        )
        if record is None:
            return Missing(stale)
        record = await decrypt_record(table, entity_id, version, key_id, ciphertext) or record
        json = table.entity.wrap_json(record)
        return Content(str(RecordETag.of(version, log_id, json)), json, stale, restricted=restricted)
