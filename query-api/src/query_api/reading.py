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
from query_api.paging.statement import page_parameters, page_statement, rows_of_page
from query_api.paging.view import View

# Rows hold JSON text as it is served. It is joined by the server and passed on as bytes, never parsed.
_LIST: Final = sql.SQL(
    """
    SELECT
      progress.etag,
      EXISTS (SELECT FROM read.quarantined_streams WHERE projection = %(projection)s),
      progress.is_older,
      progress.position,
      CASE WHEN progress.etag <> ALL (%(known_etags)s) THEN ({json}) END
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
        coalesce(kept.version < %(version)s AND kept.position > 0, false) AS is_older
      FROM log.identity LEFT JOIN read.positions AS kept ON kept.projection = %(projection)s
    ) AS progress
    """
)

_ITEMS: Final = sql.SQL(
    """
    SELECT CASE WHEN (SELECT coalesce(sum(read.json_bytes(list_item)), 0) FROM {table}) <= {most} THEN (
      SELECT convert_to(count(*) || ':' || coalesce(string_agg(list_item::text, ',' ORDER BY id), ''), 'UTF8')
      FROM {table}
    ) END
    """
)

_SINGLES: Final = sql.SQL(
    """
    SELECT
      asked.id,
      kept.version,
      identity.log_id,
      EXISTS (
        SELECT FROM read.quarantined_streams
        WHERE projection = {name} AND originator_id = {prefix} || asked.id
      ),
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
    table: EntityTable, view: View | None, known_etags: Collection[str], *, names_rows: bool = False
) -> tuple[bytes, dict[str, Any]]:
    """Return the statement that reads a list, and its parameters.

    Args:
        table: the table.
        view: which page of it; None: all.
        known_etags: see `ReadTables.list`.
        names_rows: whether a page's rows are only named; see `ReadTables.page_rows`.
    """
    parameters = {"projection": table.name, "version": table.version, "known_etags": list(known_etags)}
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
    return _LIST.format(json=_ITEMS.format(table=table.identifier, most=sql.Literal(LIST_BYTES))).as_bytes(
        None
    )


@cache
def _page(table: EntityTable, **what: Any) -> bytes:
    return _LIST.format(json=page_statement(table, **what)).as_bytes(None)


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

    def __init__(self, source: Source, searched: Source | None = None) -> None:
        """Prepare to read.

        Args:
            source: what records and whole lists are read from.
            searched: what pages are read from, which take long; None: the same.
        """
        self._source = source
        self._searched = searched or source
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
            Problem: 503, what an earlier release has filled cannot be searched yet.
        """
        etag, stale, position, json = await self._list(table, view, known_etags)
        if json is None:
            return Content(etag, None, stale, None if etag in known_etags else position)
        if view is not None:
            return Content(etag, json, stale, count=rows_of_page(json))
        count, _, rows = json.partition(b":")
        return Content(etag, b'{"content":[' + rows + b"]}", stale, count=int(count))

    async def page_rows(self, table: EntityTable, view: View) -> PageRows:
        """Return which rows a page has now; see `list`."""
        etag, stale, position, json = await self._list(table, view, (), names_rows=True)
        named = loads(json)
        rows = list(zip(named["ids"] or [], named["versions"] or [], strict=True))
        return PageRows(etag, position, stale, rows, named["page"])

    async def _list(
        self, table: EntityTable, view: View | None, known_etags: Collection[str], *, names_rows: bool = False
    ) -> tuple[str, bool, LogPosition, Any]:
        statement, parameters = list_statement(table, view, known_etags, names_rows=names_rows)
        source, prepare = (self._source, None) if view is None else (self._searched, False)
        ((etag, stale, is_older, position, json),) = await fetch(
            source, statement, parameters, prepare=prepare
        )
        if is_older and view is not None and (view.q or view.sort != "id"):
            raise unavailable("The list is being made ready for searching. Please try again.")
        log_id = etag[1:].partition("-")[0]
        return etag, stale, LogPosition(log_id, position), json

    async def single(self, table: EntityTable, entity_id: str) -> Content | Missing:
        """Return one record, wrapped as the specification wants it."""
        version, log_id, stale, record = await _row(self._singles[table.name], entity_id)
        if record is None:
            return Missing(stale)
        json = table.entity.wrap_json(record)
        return Content(str(RecordETag.of(version, log_id, json)), json, stale)

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
