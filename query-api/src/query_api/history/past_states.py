"""States of entities in the past, and positions of the log."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from psycopg import sql

from ops.base.records.entities import EntityType
from ops.base.records.masks import ERASED, MASKED, without_personal_values
from projections.tables import REVISIONS
from projections.tables.revision_texts import RevisionTexts
from query_api.history.parameters import Point
from query_api.masking.withheld import tells_of_it, withheld
from query_api.reading.opening import Boxed, opening
from query_api.reading.source import Source, fetch

POSITION_AT: Final = sql.SQL(
    "SELECT position FROM {table} WHERE moment <= %(moment)s ORDER BY moment DESC, position DESC LIMIT 1"
)

AT_MOMENT: Final = sql.SQL(
    """
    SELECT head.log_id, coalesce(kept.generation, 0), coalesce(({position_at}), 0),
      (SELECT coalesce(max(position), 0) FROM {table} AS told WHERE {tells_of_it})
    FROM log.head LEFT JOIN read.positions AS kept ON kept.projection = {projection}
    """
).format(
    position_at=POSITION_AT.format(table=REVISIONS.identifier),
    projection=sql.Literal(REVISIONS.name),
    table=REVISIONS.identifier,
    tells_of_it=sql.SQL(tells_of_it("told")),
)

NOW: Final = sql.SQL(
    """
    SELECT identity.log_id, coalesce(kept.generation, 0)
    FROM log.identity LEFT JOIN read.positions AS kept ON kept.projection = {projection}
    """
).format(projection=sql.Literal(REVISIONS.name))


class LogPoint(NamedTuple):
    """A position, and what it is one of."""

    log_id: str
    generation: int
    """Of the revisions: how often they were mended."""
    position: int
    withheld: int = 0
    """Where it was last told what must be shown no longer, or again."""


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

_WITHOUT_RECORD: Final = frozenset({"removed", "erased", "restricted", "hold_set", "restriction_lifted"})
"""What can happen to an entity that is not there afterwards."""


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


async def latest_state(
    source: Source, entity: EntityType, entity_id: str, *, masked: bool = False
) -> PastState | None:
    """Return what an entity is, or was when it was removed; None for an id that was never used.

    Args:
        entity: its type.
        entity_id: its id.
        masked: whether it is for somebody who may not see personal data: then nothing is opened.
    """
    return await _state(source, _LATEST, entity, entity_id, masked=masked)


async def state_at(
    source: Source, entity: EntityType, entity_id: str, point: Point, *, masked: bool = False
) -> PastState | None:
    """Return what an entity was; None before its first event, and for a version that it never had.

    Args:
        entity: its type.
        entity_id: its id.
        point: when.
        masked: see `latest`.
    """
    statement = _AT_MOMENT if point.version is None else _AT_VERSION
    return await _state(source, statement, entity, entity_id, masked=masked, **vars(point))


async def _state(
    source: Source, statement: bytes, entity: EntityType, entity_id: str, *, masked: bool, **parameters: Any
) -> PastState | None:
    rows = await fetch(source, statement, {"entity": entity.name, "id": entity_id, **parameters})
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
