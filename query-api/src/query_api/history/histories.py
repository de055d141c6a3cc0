"""Reading what happened to an entity: its history, a part at a time."""

from functools import cache
from typing import Final

from psycopg import sql

from ops.base.http.record_etags import RecordETag
from ops.base.records.entities import EntityType
from projections.tables import REVISIONS
from query_api.history.changes import changes_in, is_restricted
from query_api.history.columns import BYTES, COLUMNS, FIELDS
from query_api.history.parameters import HistoryParameters
from query_api.history.points import MAX_VERSION
from query_api.reading.bounds import within_bytes
from query_api.reading.source import Source, fetch

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


class Histories:
    """The revisions as the query API sees them."""

    def __init__(self, source: Source) -> None:
        self._source = source

    async def changes(
        self, entity: EntityType, entity_id: str, part: HistoryParameters, *, names: bool = True
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
        beginning = MAX_VERSION + 1 if part.descending else 0
        cursor = beginning if part.cursor is None else part.cursor
        parameters = {**vars(part), "entity": entity.name, "id": entity_id, "cursor": cursor}
        rows = await fetch(self._source, _changes(descending=part.descending), parameters)
        shown = [row[1:-1] for row in rows[: part.limit]]
        # Of a registration that is sealed the server knows more fields than it has set.
        found = await changes_in(
            shown, lambda one: part.field in (None, *one.fields), restricted=True, names=names
        )
        following = str(shown[-1][_VERSION]) if rows and rows[0][-1] > len(shown) else None
        told = [one.json(etag=str(RecordETag.of(one.version, rows[0][0]))) for one in found]
        return told, following, any(map(is_restricted, shown))
