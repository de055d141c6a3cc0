"""Whether the places that remember checkpoints agree with the seals."""

from collections.abc import Iterable, Sequence

from ops.base.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.base.tamper_evidence.sealed_log import SealedLog
from ops.base.tamper_evidence.signed_notes import VerifyingKey
from projections.relay.thread import begin_in_thread
from projections.sealing.agreement import follows
from projections.sealing.witnesses import Witness, WitnessAway


async def ask(
    witnesses: Sequence[Witness], key: VerifyingKey, faults: list[str]
) -> list[tuple[str, Checkpoint]]:
    """Return the last checkpoint of each witness that has one, with its name.

    Args:
        witnesses: which.
        key: what checkpoints are signed with.
        faults: gets those that cannot be asked.
    """
    told = []
    for witness in witnesses:
        try:
            note = await begin_in_thread(lambda witness=witness: witness.last(key))  # type: ignore[misc]
        except WitnessAway as error:
            faults.append(f"the witness {witness.name} cannot be asked: {error}")
            continue
        if note is not None:
            told.append((witness.name, Checkpoint.opened(note, key)))
    return told


def trusted(notes: Iterable[str], key: VerifyingKey, faults: list[str]) -> list[Checkpoint]:
    """Return what the database remembers; `faults` gets what is signed by somebody else."""
    found = []
    for note in notes:
        try:
            found.append(Checkpoint.opened(note, key))
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
    for one in checkpoints:
        is_crash_s = one is checkpoints[-1] and last is not None and follows(one, last)
        if not is_in(one, remembered) and not is_crash_s:
            return f"the database has lost the checkpoint of position {one.size}"
    sealed = checkpoints[-1].size if checkpoints else 0
    for one in remembered:
        came_since = one.size > sealed and seals.has(one, key)
        if not came_since and not is_accounted_for(one, checkpoints):
            return f"the database knows a checkpoint of position {one.size} that the folder does not have"
    if last is not None and checkpoints and last.size == sealed:
        now = Checkpoint.opened(seals.note(sealed), key)
        if last not in (now, checkpoints[-1]) and not follows(now, last):
            return f"folder and database have different checkpoints of position {sealed}"
    return None


def is_accounted_for(one: Checkpoint, checkpoints: Sequence[Checkpoint]) -> bool:
    """Whether checkpoints hold another place's one, or say that it was given up."""
    explained = bool(checkpoints) and checkpoints[-1].explains(one)
    return one.size == 0 or explained or is_in(one, checkpoints)


def is_in(one: Checkpoint, checkpoints: Sequence[Checkpoint]) -> bool:
    """Whether one of some checkpoints says the same of the log."""
    return any(one.is_of_same_log_as(other) for other in checkpoints)
