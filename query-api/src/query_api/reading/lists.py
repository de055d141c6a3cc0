"""Lists as they are now, whole or a page at a time: each is read by one statement, so from one moment."""

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from json import loads
from typing import Any, Final

from ops.base.http.consistency import LogPosition
from ops.base.http.problems import unavailable
from ops.base.records.json_values import json_bytes
from projections.tables import EntityTable
from query_api.http.representation import Content
from query_api.paging.statement import rows_of_page
from query_api.paging.view import COUNT, View
from query_api.paging.walk import Named, stages_of, walk_statement
from query_api.reading.contents import rows_read
from query_api.reading.list_statement import list_statement
from query_api.reading.source import Source, fetch

NOT_WHOLE: Final = "The search is being built again. Lists can be read; please try again in a moment."


@dataclass(frozen=True)
class PageRows:
    """Which rows a page has that is too long to be read at once."""

    etag: str
    position: LogPosition
    stale: bool
    rows: list[tuple[str, int]]
    """Ids and versions, in the page's order."""
    page: dict[str, int]
    """What it says of itself."""


class Lists:
    """The lists as the query API sees them."""

    def __init__(self, source: Source, paged: Source | None = None, searched: Source | None = None) -> None:
        """Prepare to read.

        Args:
            source: what whole lists are read from.
            paged: what pages are read from, which take long; None: the same.
            searched: what those are read from that are searched or sorted, which no replica can be; None: the
                same.
        """
        self._source = source
        self._paged = paged or source
        self._searched = searched or self._paged

    async def list(
        self, table: EntityTable, view: View | None = None, *, known_etags: Collection[str] = ()
    ) -> Content:
        """Return a table as `{"content": […]}`, or a page of it, which says so in its member `page`.

        Args:
            table: the table.
            view: which page; None: all rows, ordered by id.
            known_etags: of lists the client has; if the current one is among them, no row is read.

        Raises:
            Problem: 503, what lists are searched and sorted by is not there yet.
            KeysUnavailable: what is sealed cannot be opened now.
        """

        async def read(without: Collection[str]) -> tuple[tuple[str, bool, LogPosition], Any]:
            etag, stale, position, found = await self._list(table, view, known_etags, without=without)
            return (etag, stale, position), found

        (etag, stale, position), rows = await rows_read(table, read)
        if rows is None:
            return Content(etag, None, stale, None if etag in known_etags else position)
        items = await rows.items()
        if view is None:
            return Content(etag, b'{"content":[%b]}' % items, stale, count=int(rows.told))
        json = b'{"content":[%b],"page":%b}' % (items, rows.told)
        return Content(etag, json, stale, count=rows_of_page(rows.told))

    async def page_rows(self, table: EntityTable, view: View) -> PageRows:
        """Return which rows a page has now; see `list`."""
        etag, stale, position, found = await self._list(table, view, (), names_rows=True)
        named = loads(found)
        rows = list(zip(named["ids"] or [], named["versions"] or [], strict=True))
        return PageRows(etag, position, stale, rows, named["page"])

    async def walk(
        self, table: EntityTable, view: View, *, at_once: int
    ) -> AsyncIterator[tuple[LogPosition, Sequence[bytes]]]:
        """Name all rows of a list in their order, so many at a time, each time as of one moment.

        Names are JSON, `[[id, version], …]`: a download keeps them for as long as its client takes.

        Args:
            table: the table.
            view: how it is narrowed and sorted; its size is how many rows are named at once.
            at_once: rows in each text.

        Raises:
            Problem: 503, what lists are searched and sorted by is not there yet.
        """
        source = self._searched if view.needs_terms else self._paged
        for stage in stages_of(view):
            after: Named | None = None
            while True:
                statement, parameters = walk_statement(table, view, stage, after)
                ((etag, _, is_whole, position, found),) = await fetch(
                    source, statement, parameters, prepare=False
                )
                if not is_whole:
                    raise unavailable(NOT_WHOLE)
                rows = loads(found)
                is_last = len(rows) < view.size
                after = Named(*rows[-1]) if rows else None
                named = [
                    json_bytes([row[:2] for row in rows[start : start + at_once]])
                    for start in range(0, len(rows), at_once)
                ]
                del rows, found
                yield LogPosition(etag[1:].partition("-")[0], position), named
                if is_last:
                    break

    async def _list(
        self,
        table: EntityTable,
        view: View | None,
        known_etags: Collection[str],
        *,
        names_rows: bool = False,
        without: Collection[str] = (),
    ) -> tuple[str, bool, LogPosition, Any]:
        statement, parameters = list_statement(
            table, view, known_etags, names_rows=names_rows, without=without
        )
        source, prepare = self._source, None
        if view not in (None, COUNT):
            source, prepare = self._searched if view.needs_terms else self._paged, False
        ((etag, stale, is_whole, position, found),) = await fetch(
            source, statement, parameters, prepare=prepare
        )
        if not is_whole:
            raise unavailable(NOT_WHOLE)
        log_id = etag[1:].partition("-")[0]
        return etag, stale, LogPosition(log_id, position), found
