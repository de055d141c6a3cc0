"""Pending erasures: a row for each event that erases, with the results of its steps."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from psycopg import AsyncConnection

from ops.base.records.operations import moment_text
from read_model.tables import ENTITY_TABLES, EntityTable

WAITS: Final = "waits"
"""The member of `steps` that states why an erasure waits."""
_REACHED: Final = "SELECT position FROM read.positions WHERE projection = 'revisions'"
# Every event has a revision, even if no table can apply it.
_BEGIN: Final = """
INSERT INTO privacy.erasures (entity, entity_id, version, position, steps)
SELECT entity, entity_id, version, position, %s FROM read.revisions
WHERE split_part(type, '.', 2) = 'erased' AND position > %s AND position <= %s
ON CONFLICT DO NOTHING
"""
_PENDING: Final = """
SELECT entity, entity_id, version, position, steps
FROM privacy.erasures WHERE receipt IS NULL ORDER BY position
"""
_RECORD: Final = """
UPDATE privacy.erasures SET steps = steps || %s
WHERE (entity, entity_id, version) = (%s, %s, %s) AND receipt IS NULL
"""
_ISSUE: Final = """
UPDATE privacy.erasures SET receipt = %s, issued_at = clock_timestamp(), steps = steps - 'waits'
WHERE (entity, entity_id, version) = (%s, %s, %s) AND receipt IS NULL
"""


class EventId(NamedTuple):
    """Stream and version of an event that erases."""

    entity: str
    entity_id: str
    version: int


@dataclass(frozen=True)
class Erasure:
    """A pending erasure."""

    event: EventId
    position: int
    """The event's position in the log."""
    steps: Mapping[str, Any]
    """Time and result of each finished step, by name."""

    @property
    def since(self) -> datetime:
        """When the erasure began."""
        return datetime.fromisoformat(self.steps["begun"]["at"])

    @property
    def stream(self) -> str:
        """The name of the person's stream."""
        return f"{self.event.entity}:{self.event.entity_id}"

    @property
    def table(self) -> EntityTable | None:
        """The table of the person's record; None for a user, who has no record."""
        return next((table for table in ENTITY_TABLES if table.entity.name == self.event.entity), None)


async def begin_new(connection: AsyncConnection, *, after: int) -> int:
    """Begin the erasures of events after a position, and return the last position that was searched."""
    rows = await (await connection.execute(_REACHED)).fetchall()
    reached = int(rows[0][0]) if rows else 0
    if reached > after:
        await connection.execute(_BEGIN, (json.dumps({"begun": timestamped()}), after, reached))
    return reached


async def pending(connection: AsyncConnection) -> list[Erasure]:
    """Return the erasures without a receipt, the oldest first."""
    rows = await (await connection.execute(_PENDING)).fetchall()
    return [Erasure(EventId(*place), position, steps) for *place, position, steps in rows]


async def record_step(
    connection: AsyncConnection, erasures: Sequence[Erasure], step: str, results: Sequence[Any]
) -> None:
    """Record a step's result for each erasure."""
    async with connection.transaction(), connection.cursor() as cursor:
        rows = [
            (json.dumps({step: result}), *one.event) for one, result in zip(erasures, results, strict=True)
        ]
        await cursor.executemany(_RECORD, rows)


async def issue(connection: AsyncConnection, erasure: Erasure, receipt: str) -> None:
    """Store the receipt, which is immutable from then on."""
    await connection.execute(_ISSUE, (receipt, *erasure.event))


def timestamped(**result: Any) -> dict[str, Any]:
    """Return a step's result with the current time."""
    return {"at": moment_text(datetime.now(UTC)), **result}
