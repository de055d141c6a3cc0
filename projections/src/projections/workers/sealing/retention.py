"""The access log's beginning is forgotten when it is old, up to what a checkpoint vouches for."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from psycopg import AsyncConnection

from ops.tamper_evidence.accesses import AccessHead
from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.signed_notes import VerifyingKey
from projections.workers.sealing.notes import has_access

KEPT: Final = timedelta(days=365)
"""What is younger must not be forgotten: `audit.forget_accesses` refuses to, and verification tells of it."""
_OLD: Final = """
SELECT note FROM audit.checkpoints
WHERE recorded < clock_timestamp() - make_interval(days => %s)
ORDER BY number DESC LIMIT 1
"""
_FIRST: Final = "SELECT min(number) FROM audit.accesses"
_FORGET: Final = "SELECT audit.forget_accesses(%s)"

logger = structlog.get_logger()


async def forget_accesses(
    connection: AsyncConnection, key: VerifyingKey, last: Checkpoint, *, days: int
) -> None:
    """Forget the accesses that a checkpoint vouched for so long ago; the last one's stays.

    Args:
        connection: with the rights of whoever seals.
        key: that signs.
        last: the last checkpoint.
        days: how long they are kept.
    """
    row = await (await connection.execute(_OLD, (days,))).fetchone()
    if row is None:
        return
    try:
        old = Checkpoint.from_note(row[0], key)
    except BadCheckpoint:  # signed with a former key, maybe; nothing is forgotten without need
        return
    if 0 < old.accesses.number < last.accesses.number and is_forgettable(old):
        cursor = await connection.execute(_FORGET, (old.accesses.number,))
        ((forgotten,),) = await cursor.fetchall()
        if forgotten:
            logger.info("accesses_forgotten", up_to=old.accesses.number, rows=forgotten)


async def fits(connection: AsyncConnection, checkpoint: Checkpoint) -> bool:
    """Whether the access log had the end that a checkpoint tells of, or has been forgotten up to there."""
    if await has_access(connection, checkpoint.accesses):
        return True
    ((first,),) = await (await connection.execute(_FIRST)).fetchall()
    return is_forgettable(checkpoint) and first is not None and checkpoint.accesses.number < first


def is_forgettable(checkpoint: Checkpoint) -> bool:
    """Whether accesses that a checkpoint vouches for are so old that they may have been forgotten."""
    return checkpoint.moment is not None and checkpoint.moment < datetime.now(UTC) - KEPT


def forgettable(checkpoints: Iterable[Checkpoint]) -> set[AccessHead]:
    """Return the places up to which the access log may have been forgotten."""
    return {one.accesses for one in checkpoints if is_forgettable(one)}
