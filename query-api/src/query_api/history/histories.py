"""Reading what happened to an entity: its history, a part at a time."""

from collections.abc import AsyncIterator
from functools import cache
from typing import Any, Final

from psycopg import sql

from ops.base.http.record_etags import RecordETag
from ops.base.records.entities import EntityType
from projections.tables import REVISIONS
from query_api.history.changes import BYTES, COLUMNS, FIELDS, Change, changes_in, is_restricted
from query_api.history.parameters import MAX_VERSION, HistoryParameters
from query_api.http.parameters import MAX_LIMIT
from query_api.reading.source import Source, fetch, within_bytes

_COLUMNS: Final = sql.SQL("(SELECT log_id FROM log.identity), {}").format(COLUMNS)

# A version is a place in the stream and a position one in the log; within a stream both grow together.
_CHANGES: Final = sql.SQL(
    """
    SELECT *
    FROM {table}
    WHERE entity = %(entity)s AND entity_id = %(id)s AND version {beyond} %(cursor)s
      AND (%(actor)s::text IS NULL OR actor_sub = %(actor)s)
      AND (
        %(field)s::text IS NULL OR %(field)s IN ({fields})
      )
    ORDER BY version {order}
    LIMIT %(limit)s::bigint + 1
    """
)
_VERSION: Final = 3
"""Where it is in the rows of a history."""


@cache
def _changes(*, descending: bool) -> bytes:
    beyond, order = ("<", "DESC") if descending else (">", "ASC")
    return within_bytes(
        _CHANGES.format(
            table=REVISIONS.identifier,
            fields=sql.SQL(FIELDS),
            beyond=sql.SQL(beyond),
            order=sql.SQL(order),
        ),
        columns=_COLUMNS,
        size=BYTES,
        key="version",
        descending=descending,
    ).as_bytes(None)


async def history_part(
    source: Source, entity: EntityType, entity_id: str, part: HistoryParameters, *, names: bool = True
) -> tuple[list[bytes], str | None, bool]:
    """Return a part of an entity's history: its changes as JSON, and the cursor of the next part.

    And whether it is to be masked for whoever may not see what is restricted.
    Where changes are long, a part has fewer than its limit, and a next one all the same.

    Args:
        entity: its type.
        entity_id: its id.
        part: which part.
        names: whether names of people are told that are restricted.
    """
    rows = await _rows(source, entity, entity_id, part)
    shown = [row[1:-1] for row in rows[: part.limit]]
    # Of a registration that is sealed the server knows more fields than it has set.
    found = await changes_in(
        shown, lambda one: part.field in (None, *one.fields), restricted=True, names=names
    )
    following = str(shown[-1][_VERSION]) if rows and rows[0][-1] > len(shown) else None
    told = [one.json(etag=str(RecordETag.of(one.version, rows[0][0]))) for one in found]
    return told, following, any(map(is_restricted, shown))


async def changes_until(
    source: Source,
    entity: EntityType,
    entity_id: str,
    version: int,
    *,
    masked: bool = False,
    names: bool = True,
) -> AsyncIterator[Change]:
    """Yield an entity's changes up to a version, the latest first; rows are read as they are needed.

    Args:
        entity: its type.
        entity_id: its id.
        version: of the first change.
        masked: whether personal data stays encrypted, and names of people are left out.
        names: whether names of restricted people are included.
    """
    part = HistoryParameters(limit=MAX_LIMIT, order="desc")
    while rows := await _rows(source, entity, entity_id, part.model_copy(update={"cursor": version + 1})):
        shown = [row[1:-1] for row in rows[: part.limit]]
        if masked:
            changes = [Change(*row[:-4]) for row in shown]
        else:
            changes = await changes_in(shown, restricted=True, names=names)
        for change in changes:
            yield change
        version = shown[-1][_VERSION] - 1


async def _rows(
    source: Source, entity: EntityType, entity_id: str, part: HistoryParameters
) -> list[tuple[Any, ...]]:
    beginning = MAX_VERSION + 1 if part.descending else 0
    cursor = beginning if part.cursor is None else part.cursor
    parameters = {**vars(part), "entity": entity.name, "id": entity_id, "cursor": cursor}
    return await fetch(source, _changes(descending=part.descending), parameters)
