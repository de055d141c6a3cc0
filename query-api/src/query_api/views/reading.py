"""Who was shown what, as the chain of accesses has it."""

import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from psycopg import sql

from ops.base.access_log.views import CHANGE_FIELDS, RECORD_VIEWS, VIEWS
from ops.base.encryption.actor_names import ActorNames, load_actor_names
from ops.base.encryption.searches import SEARCH_PARAMETER, decrypt_search, load_search_keys
from ops.base.records.entities import EntityType
from ops.base.records.masks import MASKED
from query_api.audit.accesses import AUDIT_PATH, SEARCH
from query_api.history.wire import moment_text, withheld_name
from query_api.http.parameters import PartParameters
from query_api.masking.masking import masked_actor
from query_api.reading.source import Source, fetch
from query_api.views.showing import OF_VIEWS

VIEW: Final = "view"
"""What the access log calls one."""


class Seen:
    """That somebody was shown something.

    Attributes:
        number: its place in the chain.
        said: who was shown what, and when.
        moment: when.
        search: what is kept of what was searched for, if anything was.
        unnamed: the member that says why nobody is told what they were called; None: it is told.
    """

    def __init__(
        self, number: int, said: dict[str, Any], moment: datetime, search: Mapping[str, Any] | None = None
    ) -> None:
        """Describe it."""
        self.number = number
        self.moment = moment
        self.unnamed: str | None = None
        self.said = said
        self.search = search

    def name(self, names: ActorNames) -> None:
        """Tell what who was shown it was called then."""
        actor = self.said["actor"]
        called = names.of(actor["sub"], self.moment, actor.get("name"))
        self.said["actor"] = {"sub": actor["sub"], "name": called.name}
        self.unnamed = called.masked_as

    def open_search(self) -> None:
        """Tell what was searched for, by a key that was loaded; null: nobody knows any more.

        Raises:
            DecryptionError: it was changed.
        """
        if self.search is not None:
            text = decrypt_search(self.search, self.said["request_id"])
            self.said["filter"] = {**(self.said["filter"] or {}), SEARCH_PARAMETER: text}

    def told(self, *, masked: bool) -> dict[str, Any]:
        """Return it as those see it whom a record concerns.

        Args:
            masked: without what it says of people, but for who they are to the identity provider.
        """
        told = {"number": self.number, **self.said}
        del told["entity"], told["id"]
        if masked:
            actor, _ = masked_actor(self.said["actor"])
            return told | {"actor": actor, "filter": None, MASKED: OF_VIEWS}
        return told | self._withheld

    def as_access(self) -> dict[str, Any]:
        """Return it as the access log tells of anything."""
        who = {name: self.said[name] for name in ("moment", "actor", "request_id")}
        details = {name: value for name, value in self.said.items() if name not in who}
        return {"number": self.number, **who, "action": VIEW, "details": details, **self._withheld}

    @property
    def _withheld(self) -> dict[str, Any]:
        return withheld_name(self.unnamed)


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


async def record_views(source: Source, batch_id: uuid.UUID, batch: bytes) -> None:
    """Record a batch, unless that has been done.

    Args:
        batch_id: its own.
        batch: see `batch_of`.

    Raises:
        psycopg.OperationalError: it is not known whether it was recorded; it may be tried again.
    """
    await fetch(source, RECORD_VIEWS, (batch_id, batch.decode()))


async def all_views(
    source: Source, part: PartParameters, *, restricted: bool = False
) -> tuple[list[Seen], int | None]:
    """Return a part of all views, and the cursor of the next part.

    Args:
        part: which part.
        restricted: whether names of people are told that are restricted.
    """
    return await _part(source, _ANY, None, part, restricted=restricted)


async def views_of(
    source: Source, entity: EntityType, entity_id: str, part: PartParameters, *, restricted: bool = False
) -> tuple[list[Seen], int | None]:
    """Return a part of those that have shown a record, or may have; see `of_all`."""
    subjects = [f"{entity.name}:{entity_id}", entity.name, f"*:{entity_id}", "*"]
    return await _part(source, _OF_SUBJECTS, subjects, part, restricted=restricted)


async def _part(
    source: Source,
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
    rows = await fetch(source, statement, parameters, prepare=False)
    shown = [_seen(*row) for row in rows[: part.limit]]
    await load_search_keys(seen.search for seen in shown if seen.search is not None)
    whom = [(seen.said["actor"]["sub"], seen.moment) for seen in shown]
    names = await load_actor_names(whom, restricted=restricted)
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
        shown = {"route": AUDIT_PATH, "kind": "export", "entity": entity, "fields": CHANGE_FIELDS}
    at = _at(moment)
    told = {"moment": moment_text(at), "actor": actor, **shown, "id": entity_id, "request_id": request_id}
    return Seen(number, {**told, "filter": wanted, "count": count}, at, *searches)


def instant(microseconds: int) -> str:
    """Return an instant, of microseconds since 1970, as it is told."""
    return moment_text(_at(microseconds))


def _at(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)
