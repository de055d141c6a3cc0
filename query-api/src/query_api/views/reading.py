"""Who was shown what, as the chain of accesses has it."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Final

from psycopg import sql

from ops.base.access_log.batches import RECORD_VIEWS, VIEWS
from ops.base.access_log.showing import OF_CHANGES
from ops.base.encryption.naming import names_of
from ops.base.encryption.searches import load_searches
from ops.base.records.entities import EntityType
from query_api.audit.accesses import AUDIT_PATH, SEARCH
from query_api.history.wire import moment_text
from query_api.http.parts import PartParameters
from query_api.reading.source import Source, fetch
from query_api.views.seen import Seen

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
PLACES: Final = 10_000
"""A view's number is its row's times this, and its place there: the chain's order, and one number."""

# Each row that is found has a view that is looked for, but the first may have been told with the part before.
_PART: Final = sql.SQL(
    """
    WITH found AS MATERIALIZED (
      SELECT * FROM audit.accesses
      WHERE {condition} AND (%(cursor)s::bigint IS NULL OR number {reaches} %(cursor)s / {places})
      ORDER BY number {order}
      LIMIT %(limit)s::bigint + 2
    ), told AS (
      SELECT number * {places} + place AS number, who, what, view,
        coalesce(what ->> 'entity', '*') || coalesce(':' || (view ->> 3), '') AS subject
      FROM found
        CROSS JOIN LATERAL json_array_elements(details -> 'views') WITH ORDINALITY AS views (view, place)
        JOIN LATERAL json_array_elements(details -> 'who') WITH ORDINALITY AS whos (who, who_number)
          ON who_number = (view ->> 0)::integer + 1
        JOIN LATERAL json_array_elements(details -> 'what') WITH ORDINALITY AS whats (what, what_number)
          ON what_number = (view ->> 1)::integer + 1
      WHERE action = {views}
      UNION ALL
      SELECT number * {places} + 1, json_build_object('sub', actor_sub, 'name', nullif(actor_name, '')), NULL,
        json_build_array((extract(epoch FROM moment) * 1000000)::bigint, request_id, details), NULL
      FROM found WHERE action <> {views}
    )
    SELECT number, who::text, what::text, view::text
    FROM told
    WHERE (%(subjects)s::text[] IS NULL OR subject IS NULL OR subject = ANY(%(subjects)s))
      AND (%(cursor)s::bigint IS NULL OR number {beyond} %(cursor)s)
    ORDER BY number {order}
    LIMIT %(limit)s::bigint + 1
    """
)
_OF_SUBJECTS: Final = sql.SQL("audit.subjects_of(action, details) && %(subjects)s::text[]")
_ANY: Final = sql.SQL("action = {}").format(VIEWS)


class Views:
    """The views that were recorded."""

    def __init__(self, source: Source, searched: Source) -> None:
        """Prepare.

        Args:
            source: where they are recorded.
            searched: what they are looked for in, which may take long.
        """
        self._source = source
        self._searched = searched

    async def record(self, batch_id: uuid.UUID, batch: bytes) -> None:
        """Record a batch, unless that has been done.

        Args:
            batch_id: its own.
            batch: see `batch_of`.

        Raises:
            psycopg.OperationalError: it is not known whether it was recorded; it may be tried again.
        """
        await fetch(self._source, RECORD_VIEWS, (batch_id, batch.decode()))

    async def of_all(
        self, part: PartParameters, *, restricted: bool = False
    ) -> tuple[list[Seen], int | None]:
        """Return a part of all views, and the cursor of the next part.

        Args:
            part: which part.
            restricted: whether names of people are told that are restricted.
        """
        return await self._part(_ANY, None, part, restricted=restricted)

    async def of(
        self, entity: EntityType, entity_id: str, part: PartParameters, *, restricted: bool = False
    ) -> tuple[list[Seen], int | None]:
        """Return a part of those that have shown a record, or may have; see `of_all`."""
        subjects = [f"{entity.name}:{entity_id}", entity.name, f"*:{entity_id}", "*"]
        return await self._part(_OF_SUBJECTS, subjects, part, restricted=restricted)

    async def _part(
        self,
        condition: sql.Composable,
        subjects: list[str] | None,
        part: PartParameters,
        *,
        restricted: bool,
    ) -> tuple[list[Seen], int | None]:
        reaches, beyond, order = ("<=", "<", "DESC") if part.descending else (">=", ">", "ASC")
        statement = _PART.format(
            condition=condition,
            places=sql.Literal(PLACES),
            views=sql.Literal(VIEWS),
            reaches=sql.SQL(reaches),
            beyond=sql.SQL(beyond),
            order=sql.SQL(order),
        )
        parameters = {"subjects": subjects, "cursor": part.cursor, "limit": part.limit}
        rows = await fetch(self._searched, statement, parameters, prepare=False)
        shown = [_seen(*row) for row in rows[: part.limit]]
        await load_searches(seen.search for seen in shown if seen.search is not None)
        whom = [(seen.said["actor"]["sub"], seen.moment) for seen in shown]
        names = await names_of(whom, restricted=restricted)
        for seen in shown:
            seen.name(names)
            seen.open_search()
        return shown, shown[-1].number if len(rows) > part.limit else None


def _seen(number: int, who: str, what: str | None, view: str) -> Seen:
    """Read a row; see `_PART`. An export was recorded by itself, before it began."""
    actor, said = json.loads(who), json.loads(view)
    if what is not None:
        _, _, moment, entity_id, request_id, wanted, count, *searches = said
        shown = json.loads(what)
    else:
        moment, request_id, details = said
        entity_id, count = details["filter"].get("id"), None
        searches = [details[SEARCH]] if SEARCH in details else []
        wanted = {"format": details["format"], **details["filter"]}
        entity = details["filter"].get("entity")
        shown = {"route": AUDIT_PATH, "kind": "export", "entity": entity, "fields": OF_CHANGES}
    at = _at(moment)
    told = {"moment": moment_text(at), "actor": actor, **shown, "id": entity_id, "request_id": request_id}
    return Seen(number, {**told, "filter": wanted, "count": count}, at, *searches)


def instant(microseconds: int) -> str:
    """Return an instant, of microseconds since 1970, as it is told."""
    return moment_text(_at(microseconds))


def _at(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)
