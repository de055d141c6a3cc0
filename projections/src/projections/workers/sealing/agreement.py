"""Whether the places that remember checkpoints agree on the last one."""

from typing import Final

import structlog
from psycopg import AsyncConnection

from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import VerifyingKey
from projections.failures import ProjectionStopped
from projections.workers.sealing.notes import last_note, remember

logger = structlog.get_logger()

REMEDY: Final = "find out why; audit begin-anew --reason … lets sealing go on, and every seal tells of it"

# Nothing vouches for events of the last hour in any case, and where all starts together, commands may come
# first.
_IS_OLD: Final = """
SELECT clock_timestamp() - moment > interval '1 hour' FROM log.events ORDER BY notification_id LIMIT 1
"""


class SealsDoNotFit(ProjectionStopped):
    """What has been sealed is not what is there: somebody must look at it before more is sealed."""


async def agreed(connection: AsyncConnection, seals: SealedLog, key: VerifyingKey) -> Checkpoint | None:
    """Return the last checkpoint, which the folder and the database have; None: a new log has none yet.

    What a crash between the two has left, and seals of releases that told the database nothing, are added to
    it. Nothing else is mended here: that is for an operator to decide.

    Raises:
        SealsDoNotFit: one of them has lost a checkpoint, or was put back to an earlier one.
        BadSeals: the folder's last checkpoint is none of ours.
    """
    kept = seals.latest(key)
    note = await last_note(connection)
    remembered = opened(note, key, "the database") if note is not None else None
    if kept is None:
        if remembered is not None:
            raise SealsDoNotFit(f"the seals of up to {remembered.size} events are gone: {REMEDY}")
        cursor = await connection.execute(_IS_OLD)
        if await cursor.fetchone() == (True,):
            raise SealsDoNotFit(f"the log is not new, and nobody knows of any seal of it: {REMEDY}")
        return None
    if remembered == kept:
        return kept
    if remembered is None:
        notes = [(one.size, seals.note(one.size)) for one in seals.checkpoints(key)]
        await remember(connection, notes)
        logger.warning("seals_adopted", checkpoints=len(notes), position=kept.size)
        return kept
    if not follows(kept, remembered):
        raise SealsDoNotFit(
            f"the folder's last checkpoint is of {_told(kept)}, the database's of {_told(remembered)}:"
            f" {REMEDY}"
        )
    await remember(connection, [(kept.size, seals.note(kept.size))])
    return kept


def opened(note: str, key: VerifyingKey, place: str) -> Checkpoint:
    """Return the checkpoint of a note that a place remembers.

    Raises:
        SealsDoNotFit: it is none of this instance's.
    """
    try:
        return Checkpoint.from_note(note, key)
    except BadCheckpoint as error:
        raise SealsDoNotFit(f"the last checkpoint in {place} cannot be trusted ({error})") from None


def accounts_for(seals: SealedLog, key: VerifyingKey, last: Checkpoint, other: Checkpoint) -> bool:
    """Whether the seals have another place's checkpoint, or say that it was given up.

    Raises:
        BadSeals: the folder's checkpoint of its size is none of ours.
    """
    return other.size == 0 or last.explains(other) or seals.has(other, key)


def follows(checkpoint: Checkpoint, before: Checkpoint) -> bool:
    """Whether one was signed right after another."""
    if checkpoint.restarts != before.restarts or before.moment is None or checkpoint.moment is None:
        return False
    if checkpoint.of_log == before.of_log:
        return checkpoint.moment >= before.moment and checkpoint.accesses.number > before.accesses.number
    return checkpoint.previous == before.size < checkpoint.size


def _told(checkpoint: Checkpoint) -> str:
    when = "" if checkpoint.moment is None else f" at {checkpoint.moment.isoformat()}"
    return f"position {checkpoint.size}{when}"
