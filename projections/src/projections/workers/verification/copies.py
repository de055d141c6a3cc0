"""Whether the places that remember checkpoints agree with the seals."""

from collections.abc import Iterable, Sequence

from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import VerifyingKey
from projections.workers.sealing.agreement import follows


def trusted(notes: Iterable[str], key: VerifyingKey, faults: list[str]) -> list[Checkpoint]:
    """Return what the database remembers; `faults` gets what is signed by somebody else."""
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
    """Return in what folder and database differ.

    Args:
        seals: the folder as it is now; both may have gone on since they were read.
        key: what checkpoints are signed with.
        checkpoints: the folder's, as they were read.
        remembered: the database's, as they were read after that.
    """
    last = remembered[-1] if remembered else None
    of_database, sealed = {one.of_log for one in remembered}, Sealed(checkpoints)
    for one in checkpoints:
        is_crash_s = one is checkpoints[-1] and last is not None and follows(one, last)
        if one.of_log not in of_database and not is_crash_s:
            return f"the database has lost the checkpoint of position {one.size}"
    for one in remembered:
        came_since = one.size > sealed.size and seals.has(one, key)
        if not came_since and not sealed.accounts_for(one):
            return f"the database knows a checkpoint of position {one.size} that the folder does not have"
    if last is not None and checkpoints and last.size == sealed.size:
        now = Checkpoint.from_note(seals.note(sealed.size), key)
        if last not in (now, checkpoints[-1]) and not follows(now, last):
            return f"folder and database have different checkpoints of position {sealed.size}"
    return None


class Sealed:
    """The seals' checkpoints, to be asked for those of other places."""

    def __init__(self, checkpoints: Sequence[Checkpoint]) -> None:
        """Take them, the smallest first."""
        self._last = checkpoints[-1] if checkpoints else None
        self._of_log = {one.of_log for one in checkpoints}
        self.size = self._last.size if self._last else 0

    def has(self, one: Checkpoint) -> bool:
        """Whether one of them says the same of the log."""
        return one.of_log in self._of_log

    def accounts_for(self, one: Checkpoint) -> bool:
        """Whether they have another place's checkpoint, or say that it was given up."""
        explained = self._last is not None and self._last.explains(one)
        return one.size == 0 or explained or self.has(one)
