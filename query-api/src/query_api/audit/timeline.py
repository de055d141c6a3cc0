"""Reading the whole log's timeline, a stretch at a time, so that no search takes too long."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg import AsyncConnection, sql
from psycopg.rows import class_row

from ops.base.database import Pool, read_with
from projections.tables import REVISIONS
from query_api.audit.parameters import Filter, Part

STRETCH: Final = 20_000
"""Positions that one statement looks at where no index leads to what is wanted."""
PATIENCE_SECONDS: Final = 1.5
"""After so long a part is answered as far as it has come, and tells where the next one begins."""
EXPORT_ROWS: Final = 500

_BOUNDS: Final = sql.SQL(
    """
    SELECT
      coalesce((SELECT max(position) FROM {table} WHERE moment < %(since)s), 0),
      coalesce(
        (SELECT max(position) FROM {table} WHERE %(until)s::timestamptz IS NULL OR moment < %(until)s), 0
      )
    """
)

_CHANGES: Final = sql.SQL(
    """
    SELECT
      position, entity, entity_id, version, type, moment, actor_sub, actor_name, request_id, reason, changes,
      public_event -> 'masked' AS masked
    FROM {table}
    WHERE {conditions}
    ORDER BY position {order}
    LIMIT %(limit)s
    """
)

_FIELD: Final = (
    "EXISTS (SELECT FROM json_array_elements(changes) AS change WHERE change ->> 'field' = %(field)s)"
)
# No control character can be in `q`, so nothing is found across two columns.
_CONTAINS: Final = r"""
strpos(
  lower(concat_ws(E'\n', entity_id, actor_sub, actor_name, request_id, reason, changes::text)
    COLLATE pg_c_utf8),
  lower(%(q)s COLLATE pg_c_utf8)
) > 0
"""
_CONDITIONS: Final = {
    "entity": "entity = %(entity)s",
    "id": "entity_id = %(id)s",
    "actor": "actor_sub = %(actor)s",
    "type": "(type = %(type)s OR split_part(type, '.', 2) = %(type)s)",
    "field": _FIELD,
    "q": _CONTAINS,
}


@dataclass(frozen=True)
class Change:
    """One change, as its revision has it."""

    position: int
    entity: str
    entity_id: str
    version: int
    type: str
    moment: datetime
    actor_sub: str | None
    actor_name: str | None
    request_id: str | None
    reason: str | None
    changes: list[dict[str, Any]]
    masked: list[str] | None
    """The changed fields that are personal; None where nobody can tell."""


class Timeline:
    """The whole log, searched."""

    def __init__(
        self, pool: Pool, *, stretch: int = STRETCH, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self._pool = pool
        self._stretch = stretch
        self._patience_seconds = patience_seconds

    async def part(self, wanted: Filter, part: Part) -> tuple[list[Change], int | None]:
        """Return a part of what a filter lets through, and the cursor of the next part.

        A part may have less than its limit, even nothing, and a next one all the same: looking took long.
        """
        low, high = await self._bounds(wanted)
        if part.cursor is not None:
            low, high = (
                (low, min(high, part.cursor - 1)) if part.descending else (max(low, part.cursor), high)
            )
        deadline = time.monotonic() + self._patience_seconds
        found: list[Change] = []
        while low < high:
            first, last = self._next_stretch(wanted, low, high, descending=part.descending)
            more = part.limit + 1 - len(found)
            found += await self._changes(wanted, first, last, limit=more, descending=part.descending)
            if len(found) > part.limit:
                return found[: part.limit], found[part.limit - 1].position
            low, high = (low, first) if part.descending else (last, high)
            if time.monotonic() > deadline and low < high:
                return found, high + 1 if part.descending else low
        return found, None

    async def everything(self, wanted: Filter, *, descending: bool) -> AsyncIterator[list[Change]]:
        """Give all that a filter lets through, as it is at the beginning, a few at a time."""
        low, high = await self._bounds(wanted)
        while low < high:
            first, last = self._next_stretch(wanted, low, high, descending=descending)
            found = await self._changes(wanted, first, last, limit=EXPORT_ROWS, descending=descending)
            if found:
                yield found
            if len(found) == EXPORT_ROWS:
                reached = found[-1].position
                low, high = (low, reached - 1) if descending else (reached, high)
            else:
                low, high = (low, first) if descending else (last, high)

    def _next_stretch(self, wanted: Filter, low: int, high: int, *, descending: bool) -> tuple[int, int]:
        if wanted.one_stream:
            return low, high
        return (max(low, high - self._stretch), high) if descending else (low, min(high, low + self._stretch))

    async def _bounds(self, wanted: Filter) -> tuple[int, int]:
        """Return the positions after the first and up to the second of which a filter's times let through."""
        statement = _BOUNDS.format(table=REVISIONS.identifier)
        ((low, high),) = await self._fetch(statement, {"since": wanted.since, "until": wanted.until})
        return low, high

    async def _changes(
        self, wanted: Filter, low: int, high: int, *, limit: int, descending: bool
    ) -> list[Change]:
        conditions = ["position > %(low)s AND position <= %(high)s"]
        conditions += [text for name, text in _CONDITIONS.items() if getattr(wanted, name) is not None]
        statement = _CHANGES.format(
            table=REVISIONS.identifier,
            conditions=sql.SQL(" AND ").join(map(sql.SQL, conditions)),
            order=sql.SQL("DESC" if descending else "ASC"),
        )
        parameters = {**vars(wanted), "low": low, "high": high, "limit": limit}

        async def read(connection: AsyncConnection) -> list[Change]:
            async with connection.cursor(row_factory=class_row(Change), binary=True) as cursor:
                await cursor.execute(statement, parameters)
                return await cursor.fetchall()

        return await read_with(self._pool, read)

    async def _fetch(self, statement: Any, parameters: Any) -> list[Any]:
        async def read(connection: AsyncConnection) -> list[Any]:
            return await (await connection.execute(statement, parameters, binary=True)).fetchall()

        return await read_with(self._pool, read)
