"""Retention of the access log: old rows are deleted up to the end that an old checkpoint covers."""

from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from psycopg import AsyncConnection

from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.signed_notes import VerifyingKey
from projections.workers.sealing.audit_tables import has_access

KEPT: Final = timedelta(days=365)
"""Minimum age of deleted rows; `audit.forget_accesses` and verification enforce it."""
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
    """Delete the accesses that a checkpoint older than the retention period covers, except the last one's.

    Args:
        connection: with the sealer's rights.
    """
    row = await (await connection.execute(_OLD, (days,))).fetchone()
    if row is None:
        return
    try:
        old = Checkpoint.from_note(row[0], key)
    except BadCheckpoint:  # probably signed with a former key; without proof nothing is deleted
        return
    if 0 < old.accesses.number < last.accesses.number and is_forgettable(old):
        cursor = await connection.execute(_FORGET, (old.accesses.number,))
        ((forgotten,),) = await cursor.fetchall()
        if forgotten:
            logger.info("accesses_forgotten", up_to=old.accesses.number, rows=forgotten)


async def fits(connection: AsyncConnection, checkpoint: Checkpoint) -> bool:
    """Return whether the access log contains the end of a checkpoint, or may have been deleted up to it."""
    if await has_access(connection, checkpoint.accesses):
        return True
    ((first,),) = await (await connection.execute(_FIRST)).fetchall()
    return is_forgettable(checkpoint) and first is not None and checkpoint.accesses.number < first


def is_forgettable(checkpoint: Checkpoint) -> bool:
    """Return whether a checkpoint is so old that the accesses before it may have been deleted."""
    return checkpoint.moment is not None and checkpoint.moment < datetime.now(UTC) - KEPT
