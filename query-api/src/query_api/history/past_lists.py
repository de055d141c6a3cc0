"""Lists as they are or were, read from `revisions` a stretch at a time, so that no statement takes long."""

import json
import time
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final

from psycopg import sql

from ops.base.records.entities import EntityType
from ops.base.records.json_values import json_bytes
from ops.base.records.masks import ERASED, masked_record
from projections.tables import REVISIONS
from projections.tables.revision_texts import RevisionTexts
from query_api.history.past_states import AT_MOMENT, NOW, LogPoint
from query_api.masking.withheld import withheld
from query_api.reading.opening import Boxed, opening
from query_api.reading.source import PART_BYTES, Source, fetch, grown


def erased_record(entity: EntityType, record: bytes) -> bytes:
    """Return a record of which nobody can tell any more what was personal, and which names that."""
    return _without_personal_data(entity, record, ERASED)


def _without_personal_data(entity: EntityType, record: bytes, member: str) -> bytes:
    return json_bytes(masked_record(entity, json.loads(record), member))


async def opened_records(
    entity: EntityType,
    states: Sequence[bytes],
    sealed: Sequence[tuple[str, int, str | None, bytes | None, str | None]],
) -> bytes:
    """Return records as JSON, with commas between.

    Args:
        entity: their type.
        states: each in the clear, or all as one text.
        sealed: of each its id and version, what opens it, and why that must not be; empty where all is shown.

    Raises:
        KeysUnavailable: they cannot be opened now.
    """
    if not sealed:
        return b",".join(states)

    def joined(texts: Sequence[RevisionTexts | None]) -> bytes:
        return b",".join(
            (found.state or b"null")
            if found
            else _without_personal_data(entity, state, reason or ERASED)
            if key_id or reason
            else state
            for state, (_, _, key_id, _, reason), found in zip(states, sealed, texts, strict=True)
        )

    boxes = [
        Boxed(f"{entity.name}:{entity_id}", version, None if reason else key_id, box)
        for entity_id, version, key_id, box, reason in sealed
    ]
    return await opening(boxes, joined)


FIRST_STRETCH: Final = 500
"""Entities that the first statement looks at; later ones at as many as take about so long:"""
STRETCH_SECONDS: Final = 0.05
LONGEST_STRETCH: Final = 1_600

# Ids and their last versions come from the index alone, in its order; `+ 0` keeps the planner from going
# through the positions instead.
_LATEST: Final = sql.SQL(
    """
    SELECT entity_id AS key, entity_id, max(version) AS version
    FROM {table}
    WHERE entity = %(entity)s AND entity_id > %(after)s AND position + 0 <= %(position)s
    GROUP BY entity_id
    ORDER BY entity_id
    LIMIT %(limit)s
    """
).format(table=REVISIONS.identifier)

_NAMED: Final = sql.SQL(
    """
    SELECT number AS key, entity_id, version
    FROM unnest(%(ids)s::text[], %(versions)s::bigint[]) WITH ORDINALITY AS row (entity_id, version, number)
    WHERE number > %(after)s
    ORDER BY number
    LIMIT %(limit)s
    """
)

_STRETCH: Final = sql.SQL(
    """
    WITH wanted AS MATERIALIZED ({wanted}), measured AS (
      SELECT wanted.*, kept.state, kept.key_id, kept.box, {withheld} AS withheld,
        coalesce(sum(coalesce(octet_length(kept.box), read.json_bytes(kept.state))) OVER (
        ORDER BY wanted.key ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), 0) AS bytes_before
      FROM wanted JOIN {table} AS kept
      ON kept.entity = %(entity)s AND kept.entity_id = wanted.entity_id AND kept.version = wanted.version
    ), taken AS MATERIALIZED (
      SELECT * FROM measured WHERE bytes_before < {most} AND state IS NOT NULL
    ), reached AS MATERIALIZED (
      SELECT count(*) AS rows, max(key) AS key FROM measured WHERE bytes_before < {most}
    )
    SELECT
      identity.log_id,
      coalesce(progress.generation, 0),
      (SELECT count(*) FROM wanted) = %(limit)s
        OR reached.rows < (SELECT count(*) FROM wanted),
      reached.key,
      CASE WHEN sealed.ids IS NULL THEN (
        SELECT ARRAY[convert_to(coalesce(string_agg(state::text, ',' ORDER BY key), ''), 'UTF8')] FROM taken
      ) ELSE ARRAY(SELECT convert_to(state::text, 'UTF8') FROM taken ORDER BY key) END,
      sealed.ids, sealed.versions, sealed.keys, sealed.boxes, sealed.withheld
    FROM log.identity CROSS JOIN reached
    CROSS JOIN (
      SELECT array_agg(entity_id ORDER BY key) AS ids, array_agg(version ORDER BY key) AS versions,
        array_agg(key_id ORDER BY key) AS keys, array_agg(box ORDER BY key) AS boxes,
        array_agg(withheld ORDER BY key) AS withheld
      FROM taken
      HAVING %(opens)s AND count(coalesce(key_id, withheld)) > 0
      UNION ALL
      SELECT NULL, NULL, NULL, NULL, NULL
      WHERE NOT %(opens)s OR (SELECT count(coalesce(key_id, withheld)) FROM taken) = 0
    ) AS sealed
    LEFT JOIN read.positions AS progress ON progress.projection = {projection}
    """
)


def _stretch(wanted: sql.Composable) -> sql.Composed:
    return _STRETCH.format(
        wanted=wanted,
        table=REVISIONS.identifier,
        projection=sql.Literal(REVISIONS.name),
        withheld=sql.SQL(withheld("kept")),
        most=sql.Literal(PART_BYTES),
    )


_LATEST_STRETCH: Final = _stretch(_LATEST)
_NAMED_STRETCH: Final = _stretch(_NAMED)


class Replaced(Exception):
    """The revisions are not those any more from which a list was begun."""


class PastLists:
    """The lists that there were."""

    def __init__(self, source: Source, *, first_stretch: int = FIRST_STRETCH) -> None:
        self._source = source
        self._first_stretch = first_stretch

    async def point_at(self, moment: datetime) -> LogPoint:
        """Return the last position of the log that is not after an instant; 0 before the first event."""
        (row,) = await fetch(self._source, AT_MOMENT, {"moment": moment})
        return LogPoint(*row)

    async def point_of(self, position: int) -> LogPoint:
        """Return a position that the revisions have reached, as one of the log that they are of now."""
        ((log_id, generation),) = await fetch(self._source, NOW)
        return LogPoint(log_id, generation, position)

    def records(self, entity: EntityType, point: LogPoint, *, masked: bool = False) -> AsyncIterator[bytes]:
        """Give the records of all entities of a type as they were, ordered by id: JSON, with commas between.

        What is restricted now is masked for everybody, and what was erased is gone.

        Args:
            entity: the type.
            point: when.
            masked: whether they are for somebody who may not see personal data: then nothing is opened.

        Raises:
            Replaced: there is nothing to go on with, for the revisions were rebuilt, or the log restored.
            KeysUnavailable: they cannot be opened now.
        """
        parameters = {"position": point.position, "opens": not masked}
        return self._stretches(_LATEST_STRETCH, entity, parameters, point=point, before="")

    def rows(
        self, entity: EntityType, point: LogPoint, rows: Sequence[tuple[str, int]], *, masked: bool = False
    ) -> AsyncIterator[bytes]:
        """Give some records as they were at some versions, in the order they are named in; see `records`.

        Args:
            entity: their type.
            point: when these versions were there.
            rows: ids and versions.
            masked: see `records`.
        """
        parameters = {
            "opens": not masked,
            "ids": [entity_id for entity_id, _ in rows],
            "versions": [version for _, version in rows],
        }
        return self._stretches(_NAMED_STRETCH, entity, parameters, point=point, before=0)

    async def _stretches(
        self,
        statement: sql.Composed,
        entity: EntityType,
        parameters: dict[str, Any],
        *,
        point: LogPoint,
        before: str | int,
    ) -> AsyncIterator[bytes]:
        parameters = {**parameters, "entity": entity.name}
        after, limit = before, self._first_stretch
        while True:
            began = time.monotonic()
            ((log_id, generation, has_more, after, states, *sealed),) = await fetch(
                self._source, statement, {**parameters, "after": after, "limit": limit}
            )
            if (log_id, generation) != (point.log_id, point.generation) or (has_more and after is None):
                raise Replaced
            rows_of = [] if sealed[0] is None else list(zip(*sealed, strict=True))
            records = await opened_records(entity, states, rows_of)
            seconds = time.monotonic() - began  # without the time that the client takes
            del states, sealed, rows_of  # a slow client keeps this waiting
            if records:
                yield records
            if not has_more:
                return
            limit = min(LONGEST_STRETCH, grown(limit, seconds, aim=STRETCH_SECONDS, most_growth=2))
