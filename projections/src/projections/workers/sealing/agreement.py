"""Agreement of folder, database and witnesses on the checkpoints."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final

import structlog
from psycopg import AsyncConnection

from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import VerifyingKey
from projections.failures import ProjectionStopped
from projections.workers.sealing.audit_tables import add_checkpoints, last_note

logger = structlog.get_logger()

REMEDY: Final = (
    "find out why; audit restart-sealing --reason … restarts sealing, and every later seal states it"
)

# Events may precede the first seal of a new instance. Up to an hour of events may be unsealed in any case.
_IS_OLD: Final = """
SELECT clock_timestamp() - moment > interval '1 hour' FROM log.events ORDER BY notification_id LIMIT 1
"""


class SealsDoNotFit(ProjectionStopped):
    """The log or a copy of the checkpoints contradicts the seals; an operator must find out why."""


async def agreed(connection: AsyncConnection, seals: SealedLog, key: VerifyingKey) -> Checkpoint | None:
    """Return the last checkpoint, on which folder and database agree; None for a new log.

    Checkpoints that a crash kept from the database, or that an early release did not store there, are added
    to it. Any other difference is for an operator to decide.

    Raises:
        SealsDoNotFit: folder or database has lost a checkpoint, or was restored to an earlier one.
        BadSeals: the folder's last checkpoint is not signed with the key.
    """
    in_folder = seals.latest(key)
    note = await last_note(connection)
    try:
        in_database = None if note is None else Checkpoint.from_note(note, key)
    except BadCheckpoint as error:
        raise SealsDoNotFit(f"the last checkpoint in the database cannot be trusted ({error})") from None
    if in_folder is None:
        if in_database is not None:
            raise SealsDoNotFit(f"the seals of up to {in_database.size} events are gone: {REMEDY}")
        cursor = await connection.execute(_IS_OLD)
        if await cursor.fetchone() == (True,):
            raise SealsDoNotFit(f"the log is not new, and has no seals: {REMEDY}")
        return None
    if in_database == in_folder:
        return in_folder
    if in_database is None:
        notes = [(one.size, seals.note(one.size)) for one in seals.checkpoints(key)]
        await add_checkpoints(connection, notes)
        logger.warning("seals_adopted", checkpoints=len(notes), position=in_folder.size)
        return in_folder
    if not follows(in_folder, in_database):
        raise SealsDoNotFit(
            f"the folder's last checkpoint is of {_describe(in_folder)}, the database's of"
            f" {_describe(in_database)}: {REMEDY}"
        )
    await add_checkpoints(connection, [(in_folder.size, seals.note(in_folder.size))])
    return in_folder


def accounts_for(seals: SealedLog, key: VerifyingKey, last: Checkpoint | None, other: Checkpoint) -> bool:
    """Return whether the seals contain another copy's checkpoint, or their last one states its abandonment.

    Raises:
        BadSeals: the folder's checkpoint of that size is not signed with the key.
    """
    return other.size == 0 or (last is not None and last.explains(other)) or seals.has(other, key)


def trusted(
    notes: Iterable[str], key: VerifyingKey, faults: list[str], known: Mapping[bytes, Checkpoint]
) -> list[Checkpoint]:
    """Return the checkpoints that the key has signed; add a fault for every other note.

    Args:
        known: verified checkpoints by the SHA-256 of their notes, because a year of signatures takes minutes.
    """
    found = []
    for note in notes:
        try:
            found.append(known.get(note_digest(note)) or Checkpoint.from_note(note, key))
        except BadCheckpoint as error:
            faults.append(f"a checkpoint in the database cannot be trusted ({error})")
    return found


def note_digest(note: str) -> bytes:
    """Return the SHA-256 of a note."""
    return sha256(note.encode()).digest()


def disagreement(
    seals: SealedLog, key: VerifyingKey, checkpoints: Sequence[Checkpoint], remembered: Sequence[Checkpoint]
) -> str | None:
    """Return how folder and database differ, or None.

    Args:
        seals: the folder in its current state, which may have more checkpoints.
        checkpoints: the folder's checkpoints, which were read first.
        remembered: the database's checkpoints.
    """
    sealed = checkpoints[-1] if checkpoints else None
    last = remembered[-1] if remembered else None
    of_database = {one.of_log for one in remembered}
    of_folder = {one.of_log for one in checkpoints}
    for one in checkpoints:
        is_from_crash = one is sealed and last is not None and follows(one, last)
        if one.of_log not in of_database and not is_from_crash:
            return f"the database has lost the checkpoint of position {one.size}"
    for one in remembered:
        if one.of_log not in of_folder and not accounts_for(seals, key, sealed, one):
            return f"the database has a checkpoint of position {one.size} that the folder does not have"
    if last is not None and sealed is not None and last.size == sealed.size:
        now = Checkpoint.from_note(seals.note(sealed.size), key)
        if last not in (now, sealed) and not follows(now, last):
            return f"folder and database have different checkpoints of position {sealed.size}"
    return None


def follows(checkpoint: Checkpoint, before: Checkpoint) -> bool:
    """Return whether one checkpoint was signed immediately after another."""
    if checkpoint.restarts != before.restarts or before.moment is None or checkpoint.moment is None:
        return False
    if checkpoint.of_log == before.of_log:
        return checkpoint.moment >= before.moment and checkpoint.accesses.number > before.accesses.number
    return checkpoint.previous == before.size < checkpoint.size


def _describe(checkpoint: Checkpoint) -> str:
    when = "" if checkpoint.moment is None else f" at {checkpoint.moment.isoformat()}"
    return f"position {checkpoint.size}{when}"
