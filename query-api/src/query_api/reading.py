"""Reading the read tables: each answer comes from one statement, so from one moment."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import cache
from json import loads
from typing import Any, Final, Protocol, TypeVar

from psycopg import AsyncConnection, sql

from ops.base.connection import BoundedConnection
from ops.base.consistency import LogPosition
from ops.base.problems import unavailable
from ops.base.record_etags import RecordETag
from ops.base.shared_reads import SharedReads
from projections.tables import ENTITY_TABLES, EntityTable
from query_api.bounds import LIST_BYTES
from query_api.contents import Rows, contents, contents_parameters, opened_record
from query_api.paging.statement import needs_terms, page_parameters, page_statement, rows_of_page
from query_api.paging.view import View

# Rows hold JSON text as it is served, or boxes with it. It is passed on as bytes, never parsed.
_LIST: Final = sql.SQL(
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

_IS_WHOLE: Final = sql.SQL(
    """
    coalesce(kept.position, 0) = 0
    OR kept.version >= %(version)s
    AND EXISTS (SELECT FROM read.searches WHERE projection = %(projection)s AND version >= %(version)s)
    """
)

_SINGLES: Final = sql.SQL(
    """
    SELECT
      asked.id,
      kept.version,
      kept.restricted,
      identity.log_id,
      EXISTS (
        SELECT FROM read.quarantined_streams
        WHERE projection = {name} AND originator_id = {prefix} || asked.id
      ),
      kept.key_id,
      kept.box,
      convert_to(kept.record::text, 'UTF8')
    FROM unnest(%s::text[]) AS asked (id)
      CROSS JOIN log.identity
      LEFT JOIN {table} AS kept ON kept.id = asked.id
    """
)

_STANDINGS: Final = b"""
SELECT asked.projection, head.log_id, head.position, coalesce(kept.position, 0), coalesce(kept.version, 0)
FROM unnest(%s::text[]) AS asked (projection)
  CROSS JOIN log.head
  LEFT JOIN read.positions AS kept USING (projection)
"""


_NOT_WHOLE: Final = "The search is being built again. Lists can be read; please try again in a moment."

T = TypeVar("T")

_Row = tuple[Any, ...]


def _singles(table: EntityTable) -> bytes:
    return _SINGLES.format(
        name=sql.Literal(table.name),
        prefix=sql.Literal(f"{table.entity.name}:"),
        table=table.identifier,
    ).as_bytes(None)


@dataclass(frozen=True, slots=True)
class Content:
    """What there is to answer."""

    etag: str
    json: bytes | None
    """None where the client has it already, or where it is too long."""
    stale: bool
    """Whether events of it could not be applied, and it is as it was before them."""
    long_at: LogPosition | None = None
    """Of a list that is too long to be read at once: the position up to which it tells."""
    count: int | None = None
    """How many rows or changes are in it, where they were counted."""
    restricted: bool = False
    """Whether it is to be masked for whoever may not see what is restricted."""


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


@dataclass(frozen=True)
class Missing:
    """That there is no such record."""

    stale: bool = False
    """Whether it may be there, for events of it could not be applied."""


@dataclass(frozen=True)
class ProjectionProgress:
    """How far a projection has read which log."""

    log_id: str
    head: int
    position: int
    version: int = 0
    """Of the rows that it has written; see `ReadTable.version`."""


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
        known_etags: see `ReadTables.list`.
        names_rows: whether a page's rows are only named; see `ReadTables.page_rows`.
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
        sort=view.sort,
        descending=view.descending,
        searched=bool(view.q),
        masked=view.masked,
        names_rows=names_rows,
    )
    return statement, {**parameters, "view": f"-{view.tag}", **page_parameters(view)}


@cache
def _whole(table: EntityTable) -> bytes:
    rows = contents(table.identifier, sql.SQL("id"), sql.SQL("count(*)"), most=LIST_BYTES)
    return _LIST.format(is_whole=sql.SQL("true"), found=rows).as_bytes(None)


@cache
def _page(table: EntityTable, **what: Any) -> bytes:
    searched = needs_terms(sort=what["sort"], searched=what["searched"])
    is_whole = _IS_WHOLE if searched else sql.SQL("true")
    return _LIST.format(is_whole=is_whole, found=page_statement(table, **what)).as_bytes(None)


class Source(Protocol):
    """What read tables are read from: a pool, or a `Replica`."""

    async def read(self, read: Callable[[BoundedConnection], Awaitable[T]], *, patience: float = ...) -> T:
        """Read over a connection; see `ops.base.database.read_with`."""


async def fetch(
    source: Source, statement: Any, parameters: Any = None, *, prepare: bool | None = None
) -> list[Any]:
    """Return all rows of a statement.

    Args:
        source: where it is run; again, where the server ended the connection, so it must bear that.
        statement: SQL.
        parameters: its parameters.
        prepare: False, where the best way depends on what is looked for: then it is planned each time.
    """

    async def read(connection: AsyncConnection) -> list[Any]:
        async with connection.cursor(binary=True) as cursor:
            await cursor.execute(statement, parameters, prepare=prepare)
            return await cursor.fetchall()

    return await source.read(read)


class ReadTables:
    """The read tables as the query API sees them."""

    def __init__(self, source: Source, paged: Source | None = None, searched: Source | None = None) -> None:
        """Prepare to read.

        Args:
            source: what records and whole lists are read from.
            paged: what pages are read from, which take long; None: the same.
            searched: what those are read from that are searched or sorted, which no replica can be; None: the
                same.
        """
        self._source = source
        self._paged = paged or source
        self._searched = searched or self._paged
        self._singles = {table.name: self._shared(_singles(table)) for table in ENTITY_TABLES}
        self._standings = self._shared(_STANDINGS)

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
        without: set[str] = set()
        while True:
            etag, stale, position, found = await self._list(table, view, known_etags, without=without)
            if found is None:
                return Content(etag, None, stale, None if etag in known_etags else position)
            rows = Rows(table, *found)
            if not (missing := await rows.missing_keys()):
                break
            without |= missing  # once more, as of one moment
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
        if view is not None:
            needs = needs_terms(sort=view.sort, searched=bool(view.q))
            source, prepare = self._searched if needs else self._paged, False
        ((etag, stale, is_whole, position, found),) = await fetch(
            source, statement, parameters, prepare=prepare
        )
        if not is_whole:
            raise unavailable(_NOT_WHOLE)
        log_id = etag[1:].partition("-")[0]
        return etag, stale, LogPosition(log_id, position), found

    async def single(self, table: EntityTable, entity_id: str) -> Content | Missing:
        """Return one record, wrapped as the specification wants it, also where it is restricted.

        Raises:
            KeysUnavailable: it cannot be opened now.
        """
        version, restricted, log_id, stale, key_id, box, record = await _row(
            self._singles[table.name], entity_id
        )
        if record is None:
            return Missing(stale)
        record = await opened_record(table, entity_id, version, key_id, box) or record
        json = table.entity.wrap_json(record)
        return Content(str(RecordETag.of(version, log_id, json)), json, stale, restricted=restricted)

    async def progress(self, projection: str) -> ProjectionProgress:
        """Return how far a projection is; 0 before it has begun."""
        return ProjectionProgress(*await _row(self._standings, projection))

    def _shared(self, statement: bytes) -> SharedReads[str, _Row]:
        """Return what reads a row for each key, by one statement with all that are asked for meanwhile."""

        async def read(keys: list[str]) -> dict[str, _Row]:
            return {row[0]: row[1:] for row in await fetch(self._source, statement, (keys,))}

        return SharedReads(read)


async def _row(rows: SharedReads[str, _Row], key: str) -> _Row:
    row = await rows.get(key)
    if row is None:
        raise AssertionError("whatever is asked for has a row")
    return row
