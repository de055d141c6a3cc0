"""Reads states of records in the past, and positions of the log."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from psycopg import sql

from ops.base.records.entities import EntityType
from ops.base.records.masks import ERASED, MASKED, without_personal_values
from query_api.database.decryption import EncryptedRevision, decrypt_revisions
from query_api.database.source import Source, fetch
from query_api.history.parameters import Point
from query_api.masking.restrictions import event_kind, is_privacy_event, masked_as
from read_model.tables import REVISIONS
from read_model.tables.revision_texts import RevisionTexts

POSITION_AT: Final = sql.SQL(
    "SELECT position FROM {table} WHERE moment <= %(moment)s ORDER BY moment DESC, position DESC LIMIT 1"
)

AT_MOMENT: Final = sql.SQL(
    """
    SELECT head.log_id, coalesce(kept.generation, 0), coalesce(({position_at}), 0),
      (SELECT coalesce(max(position), 0) FROM {table} AS event WHERE {is_privacy_event})
    FROM log.head LEFT JOIN read.positions AS kept ON kept.projection = {projection}
    """
).format(
    position_at=POSITION_AT.format(table=REVISIONS.identifier),
    projection=sql.Literal(REVISIONS.name),
    table=REVISIONS.identifier,
    is_privacy_event=sql.SQL(is_privacy_event("event")),
)

NOW: Final = sql.SQL(
    """
    SELECT identity.log_id, coalesce(kept.generation, 0)
    FROM log.identity LEFT JOIN read.positions AS kept ON kept.projection = {projection}
    """
).format(projection=sql.Literal(REVISIONS.name))


class LogPoint(NamedTuple):
    """A position of a log."""

    log_id: str
    generation: int
    """Number of repairs of the revisions."""
    position: int
    privacy_position: int = 0
    """Position of the last privacy event, which may have changed the masks."""


_STATE: Final = sql.SQL(
    """
    SELECT
      (SELECT log_id FROM log.identity),
      position, version, moment, convert_to(state::text, 'UTF8') AS record, type,
      {masked_as}, key_id, ciphertext
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
        masked_as=sql.SQL(masked_as("kept")),
    ).as_bytes(None)
    for condition in (
        sql.SQL("true"),
        sql.SQL("version = %(version)s"),
        # The index on versions includes positions, but not moments.
        sql.SQL("position <= ({})").format(POSITION_AT.format(table=REVISIONS.identifier)),
    )
)


def merged_into_sql(entity_id: sql.Composable) -> sql.Composed:
    """Return SQL that reads the id of the record into which another one was merged, given `%(entity)s`."""
    return sql.SQL(
        """
        SELECT public_event ->> 'into' FROM {table} AS event
        WHERE entity = %(entity)s AND entity_id = {id} AND ({kind} = 'erased' OR NOT {is_privacy_event})
        ORDER BY version DESC
        LIMIT 1
        """
    ).format(
        table=REVISIONS.identifier,
        id=entity_id,
        kind=sql.SQL(event_kind("event")),
        is_privacy_event=sql.SQL(is_privacy_event("event")),
    )


_MERGED_INTO: Final = merged_into_sql(sql.Placeholder("id")).as_bytes(None)
_MERGED: Final = (
    sql.SQL(
        """
    SELECT DISTINCT public_event ->> 'source' FROM {table}
    WHERE entity = %(entity)s AND entity_id = %(id)s AND type = entity || '.merged' ORDER BY 1
    """
    )
    .format(table=REVISIONS.identifier)
    .as_bytes(None)
)

_WITHOUT_RECORD: Final = frozenset(
    {"removed", "merged_into", "erased", "restricted", "hold_set", "restriction_lifted"}
)
"""Kinds of events after which a record may not exist."""


@dataclass(frozen=True)
class PastState:
    """A record's state after an event."""

    log_id: str
    position: int
    version: int
    moment: datetime
    record: bytes | None
    """JSON; None if the record was removed, or the event cannot be read."""
    type: str
    """The event's type."""
    is_erased: bool = False
    """Whether personal data is null because it was erased."""
    is_restricted: bool = False
    """Whether users without access to restricted records get the state masked."""

    @property
    def is_removal(self) -> bool:
        """Whether the record was removed by the event, or before it."""
        return self.record is None and self.type.partition(".")[2] in _WITHOUT_RECORD


async def latest_state(
    source: Source, entity: EntityType, entity_id: str, *, masked: bool = False
) -> PastState | None:
    """Return a record's latest state, or None for an id that was never used.

    Args:
        masked: whether the state is for a user without `personal:read`: then nothing is decrypted.
    """
    return await _state(source, _LATEST, entity, entity_id, masked=masked)


async def merged_into(source: Source, entity: EntityType, entity_id: str) -> str | None:
    """Return the id of the record into which another one was merged; None: it is not merged."""
    rows = await fetch(source, _MERGED_INTO, {"entity": entity.name, "id": entity_id})
    return rows[0][0] if rows else None


async def merged_records(source: Source, entity: EntityType, entity_id: str) -> list[str]:
    """Return the ids of the records that are merged into one, itself first, and those into these."""
    found = [entity_id]
    for target in found:
        rows = await fetch(source, _MERGED, {"entity": entity.name, "id": target})
        for (merged,) in rows:
            if merged not in found and await merged_into(source, entity, merged) == target:
                found.append(merged)
    return found


async def state_at(
    source: Source, entity: EntityType, entity_id: str, point: Point, *, masked: bool = False
) -> PastState | None:
    """Return a record's state at a point in its past, or None if it had none; see `latest_state`."""
    statement = _AT_MOMENT if point.version is None else _AT_VERSION
    return await _state(source, statement, entity, entity_id, masked=masked, **vars(point))


async def _state(
    source: Source, statement: bytes, entity: EntityType, entity_id: str, *, masked: bool, **parameters: Any
) -> PastState | None:
    rows = await fetch(source, statement, {"entity": entity.name, "id": entity_id, **parameters})
    if not rows:
        return None
    *columns, mask, key_id, ciphertext = rows[0]
    state = replace(PastState(*columns), is_restricted=mask == MASKED)
    if masked:
        return state
    if mask == ERASED:
        record = state.record and without_personal_values(entity, state.record)
        return replace(state, is_erased=True, record=record)
    if key_id is None:
        return state

    def opened(texts: Sequence[RevisionTexts | None]) -> PastState:
        (found,) = texts
        return replace(state, is_erased=True) if found is None else replace(state, record=found.state)

    return await decrypt_revisions(
        [EncryptedRevision(f"{entity.name}:{entity_id}", state.version, key_id, ciphertext)], opened
    )
