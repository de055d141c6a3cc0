"""Reads the changes of a record, a page at a time."""

from collections.abc import AsyncIterator
from functools import cache
from typing import Any, Final

from psycopg import sql

from ops.base.http.record_etags import RecordETag
from ops.base.records.entities import EntityType
from query_api.database.source import Source, fetch, within_bytes
from query_api.history.changes import BYTES, COLUMNS, FIELDS, RecordedChange, is_restricted, load_changes
from query_api.history.parameters import MAX_VERSION, HistoryParameters
from query_api.http.parameters import MAX_LIMIT
from read_model.tables import REVISIONS

_COLUMNS: Final = sql.SQL("(SELECT log_id FROM log.identity), {}").format(COLUMNS)

# Within a stream, versions grow with positions.
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
"""Index of the version in `COLUMNS`."""


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


async def history_page(
    source: Source,
    entity: EntityType,
    entity_id: str,
    page: HistoryParameters,
    *,
    masked: bool = False,
    names: bool = True,
) -> tuple[list[bytes], int | None, bool]:
    """Return a page of a record's history.

    A page with long changes has fewer than its limit, and still a next one.

    Args:
        masked: whether personal data is masked; otherwise a restricted record's is shown, too.
        names: whether names of restricted users are included.

    Returns:
        The changes as JSON, the cursor of the next page, and whether the record is restricted.
    """
    rows = await _rows(source, entity, entity_id, page)
    shown = [row[1:-1] for row in rows[: page.limit]]
    # The statement cannot see which fields an encrypted registration has set.
    found = await load_changes(
        shown,
        lambda one: page.field is None or page.field in one.fields,
        masked=masked,
        restricted=True,
        names=names,
    )
    following = int(shown[-1][_VERSION]) if rows and rows[0][-1] > len(shown) else None
    changes = [one.json(etag=str(RecordETag.of(one.version, rows[0][0]))) for one in found]
    return changes, following, any(map(is_restricted, shown))


async def changes_until(
    source: Source,
    entity: EntityType,
    entity_id: str,
    version: int,
    *,
    masked: bool = False,
    names: bool = True,
) -> AsyncIterator[RecordedChange]:
    """Yield a record's changes up to a version, latest first, reading pages as necessary.

    Args:
        masked: whether personal data stays encrypted, and names of users are left out.
        names: whether names of restricted users are included.
    """
    page = HistoryParameters(limit=MAX_LIMIT, order="desc")
    while rows := await _rows(source, entity, entity_id, page.model_copy(update={"cursor": version + 1})):
        shown = [row[1:-1] for row in rows[: page.limit]]
        if masked:
            changes = [RecordedChange.of_row(row) for row in shown]
        else:
            changes = await load_changes(shown, restricted=True, names=names)
        for change in changes:
            yield change
        version = shown[-1][_VERSION] - 1


async def _rows(
    source: Source, entity: EntityType, entity_id: str, page: HistoryParameters
) -> list[tuple[Any, ...]]:
    beginning = MAX_VERSION + 1 if page.descending else 0
    cursor = beginning if page.cursor is None else page.cursor
    parameters = {**vars(page), "entity": entity.name, "id": entity_id, "cursor": cursor}
    return await fetch(source, _changes(descending=page.descending), parameters)
