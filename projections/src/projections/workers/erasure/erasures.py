"""The erasures that are under way: a row for each event that erases, with what was done for it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from psycopg import AsyncConnection

from ops.base.records.operations import moment_text
from projections.tables import ENTITY_TABLES, EntityTable

WAITS: Final = "waits"
"""Among the steps: why it does not go on."""
_REACHED: Final = "SELECT position FROM read.positions WHERE projection = 'revisions'"
# Every event has its revision, also one that no table can apply.
_TAKE_IN: Final = """
INSERT INTO privacy.erasures (entity, entity_id, version, position, steps)
SELECT entity, entity_id, version, position, %s FROM read.revisions
WHERE split_part(type, '.', 2) = 'erased' AND position > %s AND position <= %s
ON CONFLICT DO NOTHING
"""
_UNDER_WAY: Final = """
SELECT entity, entity_id, version, position, steps
FROM privacy.erasures WHERE receipt IS NULL ORDER BY position
"""
_TELL: Final = """
UPDATE privacy.erasures SET steps = steps || %s
WHERE (entity, entity_id, version) = (%s, %s, %s) AND receipt IS NULL
"""
_ISSUE: Final = """
UPDATE privacy.erasures SET receipt = %s, issued_at = clock_timestamp(), steps = steps - 'waits'
WHERE (entity, entity_id, version) = (%s, %s, %s) AND receipt IS NULL
"""


class Place(NamedTuple):
    """Which event it is that erases."""

    entity: str
    entity_id: str
    version: int


@dataclass(frozen=True)
class Erasure:
    """One that is under way."""

    place: Place
    position: int
    """Of the event."""
    steps: Mapping[str, Any]
    """By the name of each step that is done, when that was and what came of it."""

    @property
    def since(self) -> datetime:
        """When a worker has begun it."""
        return datetime.fromisoformat(self.steps["begun"]["at"])

    @property
    def stream(self) -> str:
        """Whose events they were."""
        return f"{self.place.entity}:{self.place.entity_id}"

    @property
    def table(self) -> EntityTable | None:
        """Where its record was; None: it is somebody who acted, and had none."""
        return next((table for table in ENTITY_TABLES if table.entity.name == self.place.entity), None)


async def take_in(connection: AsyncConnection, *, after: int) -> int:
    """Begin the erasures that events ask for; returns up to which position there is no other.

    Args:
        connection: in autocommit mode.
        after: up to which position that was done before.
    """
    rows = await (await connection.execute(_REACHED)).fetchall()
    reached = int(rows[0][0]) if rows else 0
    if reached > after:
        await connection.execute(_TAKE_IN, (json.dumps({"begun": told()}), after, reached))
    return reached


async def under_way(connection: AsyncConnection) -> list[Erasure]:
    """Return the erasures that have no receipt, the oldest first."""
    rows = await (await connection.execute(_UNDER_WAY)).fetchall()
    return [Erasure(Place(*place), position, steps) for *place, position, steps in rows]


async def tell(
    connection: AsyncConnection, erasures: Sequence[Erasure], step: str, done: Sequence[Any]
) -> None:
    """Write down that a step is done.

    Args:
        connection: any.
        erasures: for which.
        step: its name.
        done: for each of them, what came of it.
    """
    async with connection.transaction(), connection.cursor() as cursor:
        rows = [(json.dumps({step: what}), *one.place) for one, what in zip(erasures, done, strict=True)]
        await cursor.executemany(_TELL, rows)


async def issue(connection: AsyncConnection, erasure: Erasure, receipt: str) -> None:
    """Write down the receipt, which nobody can change then."""
    await connection.execute(_ISSUE, (receipt, *erasure.place))


def told(**what: Any) -> dict[str, Any]:
    """Return what came of a step, with this moment."""
    return {"at": moment_text(datetime.now(UTC)), **what}
