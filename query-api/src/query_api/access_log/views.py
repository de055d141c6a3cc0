"""The part of the access log about answers with personal data."""

import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from psycopg import sql

from ops.base.access_log.views import CHANGE_FIELDS, RECORD_VIEWS, VIEWS
from ops.base.encryption.actors import ActorNames, load_actor_names
from ops.base.encryption.searches import SEARCH_PARAMETER, decrypt_search, load_search_keys
from ops.base.records.entities import EntityType
from ops.base.records.masks import ERASED, MASKED
from query_api.access_log.reveals import AUDIT_PATH, SEARCH
from query_api.database.source import Source, fetch
from query_api.history.wire import actor_json, moment_text, name_redaction
from query_api.http.parameters import PageParameters

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
PLACES: Final = 10_000
"""A view's number is its row's number times this, plus its place in the row."""

# Every row found has a matching view, but those of the first row may belong to the previous page.
_PAGE: Final = sql.SQL(
    """
    WITH found AS MATERIALIZED (
      SELECT * FROM audit.accesses
      WHERE {condition} AND (%(cursor)s::bigint IS NULL OR number {reaches} %(cursor)s / {places})
      ORDER BY number {order}
      LIMIT %(limit)s::bigint + 2
    ), listed AS (
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
      SELECT number * {places} + 1, json_build_object(
          'sub', actor_sub, 'name', nullif(actor_name, ''), 'is_program', details -> 'is_program'
        ), NULL,
        json_build_array((extract(epoch FROM moment) * 1000000)::bigint, request_id, details), NULL
      FROM found WHERE action <> {views}
    )
    SELECT number, who::text, what::text, view::text
    FROM listed
    WHERE (%(subjects)s::text[] IS NULL OR subject IS NULL OR subject = ANY(%(subjects)s))
      AND (%(cursor)s::bigint IS NULL OR number {beyond} %(cursor)s)
    ORDER BY number {order}
    LIMIT %(limit)s::bigint + 1
    """
)
_OF_SUBJECTS: Final = sql.SQL("audit.subjects_of(action, details) && %(subjects)s::text[]")
_ANY: Final = sql.SQL("action = {}").format(VIEWS)


async def record_views(source: Source, batch_id: uuid.UUID, batch: bytes) -> None:
    """Record a batch; repeating the call has no effect.

    Raises:
        psycopg.OperationalError: the result is unknown; the call can be repeated.
    """
    await fetch(source, RECORD_VIEWS, (batch_id, batch.decode()))


async def all_views(
    source: Source, page: PageParameters, *, restricted: bool = False
) -> tuple[list[dict[str, Any]], int | None]:
    """Return a page of all views as entries of the access log, and the cursor of the next page."""
    views, following = await _read_page(source, _ANY, None, page, restricted=restricted)
    return [_as_access(view) for view in views], following


def _as_access(view: dict[str, Any]) -> dict[str, Any]:
    own = ("number", "moment", "actor", "request_id", ERASED, MASKED)
    entry = {name: view.pop(name) for name in own if name in view}
    return {**entry, "action": "view", "details": view}


async def views_of(
    source: Source, entity: EntityType, entity_id: str, page: PageParameters, *, restricted: bool = False
) -> tuple[list[dict[str, Any]], int | None]:
    """Return a page of the views that have, or may have, shown a record; see `all_views`.

    Searches and lists without a row have shown no record.
    """
    subjects = [f"{entity.name}:{entity_id}", entity.name, f"*:{entity_id}", "*"]
    views, following = await _read_page(source, _OF_SUBJECTS, subjects, page, restricted=restricted)
    for view in views:
        del view["entity"], view["id"]
    return views, following


async def _read_page(
    source: Source,
    condition: sql.Composable,
    subjects: list[str] | None,
    page: PageParameters,
    *,
    restricted: bool,
) -> tuple[list[dict[str, Any]], int | None]:
    reaches, beyond, order = ("<=", "<", "DESC") if page.descending else (">=", ">", "ASC")
    statement = _PAGE.format(
        condition=condition,
        places=sql.Literal(PLACES),
        views=sql.Literal(VIEWS),
        reaches=sql.SQL(reaches),
        beyond=sql.SQL(beyond),
        order=sql.SQL(order),
    )
    found: list[_Row] = []
    cursor, has_more = page.cursor, True
    while has_more and len(found) <= page.limit:
        parameters = {"subjects": subjects, "cursor": cursor, "limit": page.limit}
        rows = [_Row.parse(*row) for row in await fetch(source, statement, parameters, prepare=False)]
        found += rows if subjects is None else (row for row in rows if row.has_shown_records)
        has_more = len(rows) > page.limit
        cursor = rows[-1].number if rows else None
    is_last = len(found) <= page.limit
    found = found[: page.limit]
    await load_search_keys(row.search for row in found if row.search is not None)
    names = await load_actor_names(
        ((row.data["actor"]["sub"], row.moment) for row in found), restricted=restricted
    )
    return [row.view(names) for row in found], None if is_last else found[-1].number


class _Row(NamedTuple):
    number: int
    moment: datetime
    data: dict[str, Any]
    search: Mapping[str, Any] | None = None
    """The encrypted search text."""

    @classmethod
    def parse(cls, number: int, who: str, what: str | None, view: str) -> "_Row":
        """Parse a row of `_PAGE`; an unmasked export has an entry of its own, without `what`."""
        actor, values = json.loads(who), json.loads(view)
        if what is not None:
            _, _, microseconds, entity_id, request_id, wanted, count, *searches = values
            showing = json.loads(what)
        else:
            microseconds, request_id, details = values
            entity_id, count = details["filter"].get("id"), None
            searches = [details[SEARCH]] if SEARCH in details else []
            wanted = {"format": details["format"], **details["filter"]}
            entity = details["filter"].get("entity")
            showing = {"route": AUDIT_PATH, "kind": "export", "entity": entity, "fields": CHANGE_FIELDS}
        moment = _EPOCH + timedelta(microseconds=microseconds)
        data = {"moment": moment_text(moment), "actor": actor, **showing, "id": entity_id}
        data |= {"request_id": request_id, "filter": wanted, "count": count}
        return cls(number, moment, data, *searches)

    @property
    def has_shown_records(self) -> bool:
        """False for a list, of several records, that was empty."""
        return self.data["id"] is not None or self.data["count"] != 0

    def view(self, names: ActorNames) -> dict[str, Any]:
        """Return the view with the user's name and the decrypted search text."""
        actor = self.data["actor"]
        name = names.of(actor["sub"], self.moment, actor.get("name"))
        actor = actor_json(actor["sub"], name.name, is_program=bool(actor.get("is_program")))
        data = {"number": self.number, **self.data, "actor": actor}
        if self.search is not None:
            text = decrypt_search(self.search, data["request_id"])
            data["filter"] = {**(data["filter"] or {}), SEARCH_PARAMETER: text}
        return data | name_redaction(name.masked_as)
