"""Comparison of the checkpoints in folder and database."""

from collections.abc import Iterable, Sequence

from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import VerifyingKey
from projections.workers.sealing.agreement import follows


def trusted(notes: Iterable[str], key: VerifyingKey, faults: list[str]) -> list[Checkpoint]:
    """Return the checkpoints that the key has signed; add a fault for every other note."""
    found = []
    for note in notes:
        try:
            found.append(Checkpoint.from_note(note, key))
        except BadCheckpoint as error:
            faults.append(f"a checkpoint in the database cannot be trusted ({error})")
    return found


def disagreement(
    seals: SealedLog, key: VerifyingKey, checkpoints: Sequence[Checkpoint], remembered: Sequence[Checkpoint]
) -> str | None:
    """Return how folder and database differ, or None.

    Args:
        seals: the folder in its current state, to recognise checkpoints that were added since.
        checkpoints: the folder's checkpoints, which were read first.
        remembered: the database's checkpoints.
    """
    last = remembered[-1] if remembered else None
    of_database, sealed = {one.of_log for one in remembered}, SealedCheckpoints(checkpoints)
    for one in checkpoints:
        is_from_crash = one is checkpoints[-1] and last is not None and follows(one, last)
        if one.of_log not in of_database and not is_from_crash:
            return f"the database has lost the checkpoint of position {one.size}"
    for one in remembered:
        is_new = one.size > sealed.size and seals.has(one, key)
        if not is_new and not sealed.accounts_for(one):
            return f"the database has a checkpoint of position {one.size} that the folder does not have"
    if last is not None and checkpoints and last.size == sealed.size:
        now = Checkpoint.from_note(seals.note(sealed.size), key)
        if last not in (now, checkpoints[-1]) and not follows(now, last):
            return f"folder and database have different checkpoints of position {sealed.size}"
    return None


class SealedCheckpoints:
    """The seals' checkpoints, in ascending order, to compare others with."""

    def __init__(self, checkpoints: Sequence[Checkpoint]) -> None:
        self._last = checkpoints[-1] if checkpoints else None
        self._of_log = {one.of_log for one in checkpoints}
        self.size = self._last.size if self._last else 0

    def has(self, one: Checkpoint) -> bool:
        """Return whether a checkpoint makes the same statement about the log."""
        return one.of_log in self._of_log

    def accounts_for(self, one: Checkpoint) -> bool:
        """Return whether the seals contain a checkpoint, or state that it was abandoned."""
        explained = self._last is not None and self._last.explains(one)
        return one.size == 0 or explained or self.has(one)
