"""Reading what an entity was: the state after one of its revisions, by version or as of an instant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from psycopg import sql

from ops.base.records.entities import EntityType
from ops.base.records.masks import ERASED, MASKED, without_personal_values
from projections.tables import REVISIONS
from projections.tables.revision_texts import RevisionTexts
from query_api.history.log_points import POSITION_AT
from query_api.history.points import Point
from query_api.masking.withheld import withheld
from query_api.reading.opening import Boxed, opening
from query_api.reading.source import Source, fetch

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


class PastStates:
    """What entities were, and are."""

    def __init__(self, source: Source) -> None:
        self._source = source

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
