"""Reading `revisions`: what happened to an entity, and what it was."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Final

from psycopg import sql

from ops.base.entities import EntityType
from ops.base.masks import ERASED, MASKED, without_personal_values
from ops.base.record_etags import RecordETag
from ops.base.sealing.naming import names_of
from projections.tables import REVISIONS
from projections.tables.revision_texts import RevisionTexts
from query_api.bounds import within_bytes
from query_api.history.changes import BYTES, COLUMNS, changes_in, is_restricted
from query_api.history.parameters import HistoryParameters
from query_api.history.points import MAX_VERSION, Point
from query_api.opening import Boxed, opening
from query_api.source import Source, fetch
from query_api.withheld import withheld

_COLUMNS: Final = sql.SQL("(SELECT log_id FROM log.identity), {}").format(COLUMNS)

# A version is a place in the stream and a position one in the log; within a stream both grow together.
_CHANGES: Final = sql.SQL(
    """
    SELECT *
    FROM {table}
    WHERE entity = %(entity)s AND entity_id = %(id)s AND version {beyond} %(cursor)s
      AND (%(actor)s::text IS NULL OR actor_sub = %(actor)s)
      AND (
        %(field)s::text IS NULL
        OR EXISTS (SELECT FROM json_array_elements(changes) AS change WHERE change ->> 'field' = %(field)s)
      )
    ORDER BY version {order}
    LIMIT %(limit)s::bigint + 1
    """
)

_STATE: Final = sql.SQL(
    """
    SELECT
      (SELECT log_id FROM log.identity),
      position, version, moment, convert_to(state::text, 'UTF8') AS record, type,
      {withheld}, key_id, box
    FROM {table} AS kept
    WHERE entity = %(entity)s AND entity_id = %(id)s AND {condition}
    ORDER BY version DESC
    LIMIT 1
    """
)

POSITION_AT: Final = sql.SQL(
    "SELECT position FROM {table} WHERE moment <= %(moment)s ORDER BY moment DESC, position DESC LIMIT 1"
)

_LATEST, _AT_VERSION, _AT_MOMENT = (
    _STATE.format(
        table=REVISIONS.identifier,
        condition=condition,
        withheld=sql.SQL(withheld("kept")),
    ).as_bytes(None)
    for condition in (
        sql.SQL("true"),
        sql.SQL("version = %(version)s"),
        # The index of the entity's versions knows their positions, and not their moments.
        sql.SQL("position <= ({})").format(POSITION_AT.format(table=REVISIONS.identifier)),
    )
)

_AUTHORS: Final = sql.SQL(
    """
    SELECT entity, entity_id, version, moment, actor_sub, actor_name, type, changes, key_id, box
    FROM {table}
    WHERE entity = %(entity)s AND entity_id = %(id)s AND version <= %(version)s
    ORDER BY version DESC
    LIMIT %(limit)s
    """
)
_AUTHOR: Final = sql.SQL(
    f"""
    version, moment, actor_sub, actor_name, type,
    ARRAY(SELECT change ->> 'field' FROM json_array_elements(changes) AS change) AS fields,
    {withheld("measured")}, key_id, box
    """  # noqa: S608 - put together from our own constants
)
_VERSION: Final = 3
"""Where it is in the rows of a history."""
_WITHOUT_RECORD: Final = frozenset({"removed", "erased", "restricted", "hold_set", "restriction_lifted"})
"""What can happen to an entity that is not there afterwards."""
_AUTHORS_AT_ONCE: Final = 1000
_AUTHORS_BYTES: Final = 16_000_000
"""Of changes, which the server looks at; the names of their fields are short."""


@cache
def _changes(*, descending: bool) -> bytes:
    beyond, order = ("<", "DESC") if descending else (">", "ASC")
    return within_bytes(
        _CHANGES.format(table=REVISIONS.identifier, beyond=sql.SQL(beyond), order=sql.SQL(order)),
        columns=_COLUMNS,
        size=BYTES,
        key="version",
        descending=descending,
    ).as_bytes(None)


@cache
def _authors() -> bytes:
    return within_bytes(
        _AUTHORS.format(table=REVISIONS.identifier),
        columns=_AUTHOR,
        size=BYTES,
        key="version",
        descending=True,
        most=_AUTHORS_BYTES,
    ).as_bytes(None)


@dataclass(frozen=True)
class PastState:
    """An entity at a point of its past."""

    log_id: str
    position: int
    """Of the event after which it was so."""
    version: int
    moment: datetime
    record: bytes | None
    """JSON; None where it was removed, or where nobody can tell what it was."""
    type: str
    """Of that event."""
    is_erased: bool = False
    """Whether nobody can tell any more what was personal in it: that is null."""
    is_restricted: bool = False
    """Whether it is to be masked for whoever may not see what is restricted."""

    @property
    def is_removal(self) -> bool:
        """Whether that event was its removal, or came after it."""
        return self.record is None and self.type.partition(".")[2] in _WITHOUT_RECORD


@dataclass(frozen=True)
class Author:
    """Who made one version, and which fields that set."""

    version: int
    moment: datetime
    sub: str | None
    name: str | None
    """None where nobody is told what they are called."""
    type: str
    fields: Sequence[str]


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

    async def latest(self, entity: EntityType, entity_id: str, *, masked: bool = False) -> PastState | None:
        """Return what an entity is, or was when it was removed; None for an id that was never used.

        Args:
            entity: its type.
            entity_id: its id.
            masked: whether it is for somebody who may not see personal data: then nothing is opened.
        """
        return await self._state(_LATEST, entity, entity_id, masked=masked)

    async def state(
        self, entity: EntityType, entity_id: str, point: Point, *, masked: bool = False
    ) -> PastState | None:
        """Return what an entity was; None before its first event, and for a version that it never had.

        Args:
            entity: its type.
            entity_id: its id.
            point: when.
            masked: see `latest`.
        """
        statement = _AT_MOMENT if point.version is None else _AT_VERSION
        return await self._state(statement, entity, entity_id, masked=masked, **vars(point))

    async def authors(
        self, entity: EntityType, entity_id: str, version: int, *, masked: bool = False, names: bool = True
    ) -> AsyncIterator[Author]:
        """Give who made each version of an entity up to one, the latest first, as far as somebody reads.

        Args:
            entity: its type.
            entity_id: its id.
            version: the one.
            masked: see `latest`.
            names: see `changes`.
        """
        parameters = {"entity": entity.name, "id": entity_id, "limit": _AUTHORS_AT_ONCE}
        while rows := await fetch(self._source, _authors(), {**parameters, "version": version}):
            for author in await _opened_authors(entity, entity_id, rows, masked=masked, names=names):
                yield author
                version = author.version - 1

    async def _state(
        self, statement: bytes, entity: EntityType, entity_id: str, *, masked: bool, **parameters: Any
    ) -> PastState | None:
        rows = await fetch(self._source, statement, {"entity": entity.name, "id": entity_id, **parameters})
        if not rows:
            return None
        *columns, reason, key_id, box = rows[0]
        state = replace(PastState(*columns), is_restricted=reason == MASKED)
        if masked:
            return state
        if reason == ERASED:
            record = state.record and without_personal_values(entity, state.record)
            return replace(state, is_erased=True, record=record)
        if key_id is None:
            return state

        def opened(texts: Sequence[RevisionTexts | None]) -> PastState:
            (found,) = texts
            return replace(state, is_erased=True) if found is None else replace(state, record=found.state)

        return await opening([Boxed(f"{entity.name}:{entity_id}", state.version, key_id, box)], opened)


async def _opened_authors(
    entity: EntityType, entity_id: str, rows: Sequence[tuple[Any, ...]], *, masked: bool, names: bool
) -> list[Author]:
    stream = f"{entity.name}:{entity_id}"
    boxes = [
        Boxed(stream, version, None if masked or reason == ERASED else key_id, box)
        for version, *_, reason, key_id, box, _ in rows
    ]

    wanted = [] if masked else [(sub, moment) for _, moment, sub, *_ in rows]
    called = await names_of(wanted, restricted=names)

    def opened(texts: Sequence[RevisionTexts | None]) -> list[Author]:
        authors = []
        for (*columns, reason, _, _, _), found in zip(rows, texts, strict=True):
            author = Author(*columns)
            if found is not None:
                author = replace(author, name=json.loads(found.circumstances)[0])
            if not masked:
                author = replace(author, name=called.of(author.sub, author.moment, author.name).name)
            authors.append(replace(author, name=None) if reason == ERASED else author)
        return authors

    return await opening(boxes, opened)
