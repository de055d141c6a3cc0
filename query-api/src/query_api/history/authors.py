"""Reading who made the versions of an entity: what blame is made of."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Final

from psycopg import sql

from ops.base.encryption.naming import names_of
from ops.base.records.entities import EntityType
from ops.base.records.masks import ERASED
from projections.tables import REVISIONS
from projections.tables.revision_texts import RevisionTexts
from query_api.history.columns import BYTES, FIELDS
from query_api.masking.withheld import withheld
from query_api.reading.bounds import within_bytes
from query_api.reading.opening import Boxed, opening
from query_api.reading.source import Source, fetch

_AUTHORS: Final = sql.SQL(
    """
    SELECT entity, entity_id, version, moment, actor_sub, actor_name, type, changes, personal, key_id, box
    FROM {table}
    WHERE entity = %(entity)s AND entity_id = %(id)s AND version <= %(version)s
    ORDER BY version DESC
    LIMIT %(limit)s
    """
)
_AUTHOR: Final = sql.SQL(
    f"""
    version, moment, actor_sub, actor_name, type,
    ARRAY({FIELDS}) AS fields,
    {withheld("measured")}, key_id, box
    """
)
_AUTHORS_AT_ONCE: Final = 1000
_AUTHORS_BYTES: Final = 16_000_000
"""Of changes, which the server looks at; the names of their fields are short."""


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


class Authors:
    """Those who made versions."""

    def __init__(self, source: Source) -> None:
        self._source = source

    async def until(
        self, entity: EntityType, entity_id: str, version: int, *, masked: bool = False, names: bool = True
    ) -> AsyncIterator[Author]:
        """Give who made each version of an entity up to one, the latest first, as far as somebody reads.

        Args:
            entity: its type.
            entity_id: its id.
            version: the one.
            masked: whether it is for somebody who may not see personal data: then nothing is opened.
            names: whether names of people are told that are restricted.
        """
        parameters = {"entity": entity.name, "id": entity_id, "limit": _AUTHORS_AT_ONCE}
        while rows := await fetch(self._source, _authors(), {**parameters, "version": version}):
            for author in await _opened_authors(entity, entity_id, rows, masked=masked, names=names):
                yield author
                version = author.version - 1


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
