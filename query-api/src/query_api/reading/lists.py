"""Lists as they are now, whole or a page at a time: each is read by one statement, so from one moment."""

from collections.abc import AsyncIterator, Collection, Sequence
from json import loads

from ops.base.http.consistency import LogPosition
from ops.base.http.problems import unavailable
from ops.base.records.json_values import json_bytes
from projections.tables import EntityTable
from query_api.http.representation import Content
from query_api.paging.statement import list_statement, rows_of_page
from query_api.paging.view import COUNT, View
from query_api.paging.walk import Named, stages_of, walk_statement
from query_api.reading.opening import NOT_WHOLE, position_in, read_list
from query_api.reading.source import Source, fetch


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
        source, prepare = self._source, None
        if view not in (None, COUNT):
            source, prepare = self._searched if view.needs_terms else self._paged, False
        statement, parameters = list_statement(table, view, known_etags)
        read = await read_list(source, table, statement, parameters, prepare=prepare)
        if read.told is None:
            long_at = None if read.etag in known_etags else read.position
            return Content(read.etag, None, read.stale, long_at, row_names=read.too_long)
        if view is None:
            return Content(read.etag, b'{"content":[%b]}' % read.items, read.stale, count=int(read.told))
        json = b'{"content":[%b],"page":%b}' % (read.items, read.told)
        return Content(read.etag, json, read.stale, count=rows_of_page(read.told))

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
                yield position_in(etag, position), named
                if is_last:
                    break
