"""Holding a log against its seals."""

from collections.abc import Iterable
from dataclasses import dataclass

from ops.base.tamper_evidence.checkpoints import BadCheckpoint, VerifyingKey
from ops.base.tamper_evidence.leaves import LogRow
from ops.base.tamper_evidence.merkle_tree import Frontier
from ops.base.tamper_evidence.sealed_log import SealedLog


@dataclass(frozen=True)
class Verdict:
    """What came of it."""

    sealed: int
    """The position up to which a checkpoint vouches."""
    events: int | None
    """How many events the log has; None where something did not fit."""
    fault: str | None = None
    """The first thing that does not fit; None: everything fits."""
    position: int | None = None
    """Where; None where no position can be told."""


class _Fault(Exception):
    """Something does not fit."""

    def __init__(self, fault: str, position: int | None = None) -> None:
        super().__init__(fault)
        self.fault = fault
        self.position = position


class Verification:
    """Recomputes the hashes of a log's events, as they are read, and holds them against its seals."""

    def __init__(self, seals: SealedLog, key: VerifyingKey, *, origin: str) -> None:
        """Read the seals.

        Args:
            seals: the log's.
            key: the one that they must be signed with.
            origin: the name that they must bear.
        """
        self._hashes: list[bytes] = []
        self._events = 0
        self._fault: _Fault | None = None
        try:
            # The hashes are only worth what is signed, so they come first.
            self._hashes = _trusted_hashes(seals, key, origin)
        except _Fault as fault:
            self._fault = fault

    def take(self, rows: Iterable[LogRow]) -> None:
        """Take the log's next events, in its order."""
        for row in rows:
            self._events += 1
            if self._fault is not None:
                return
            if row.position != self._events:
                self._fault = _Fault("an event is missing", self._events)
            elif self._events <= len(self._hashes) and row.hash() != self._hashes[self._events - 1]:
                self._fault = _Fault("an event is not what was sealed", self._events)

    def verdict(self) -> Verdict:
        """Return what came of it, after the last event."""
        sealed = len(self._hashes)
        if self._fault is None and self._events < sealed:
            self._fault = _Fault("the log ends before what was sealed", self._events + 1)
        if self._fault is not None:
            return Verdict(sealed, None, self._fault.fault, self._fault.position)
        return Verdict(sealed, self._events)


def _trusted_hashes(seals: SealedLog, key: VerifyingKey, origin: str) -> list[bytes]:
    """Return the hashes for which the checkpoints vouch, all of them."""
    try:
        checkpoints = list(seals.checkpoints(key))
    except BadCheckpoint as error:
        raise _Fault(f"a checkpoint cannot be trusted: {error}") from None
    if any(checkpoint.origin != origin for checkpoint in checkpoints):
        raise _Fault("the checkpoints are another log's")
    hashes = seals.hashes(last=checkpoints[-1].size if checkpoints else 0)
    frontier = Frontier()
    for checkpoint in checkpoints:
        frontier.extend(hashes[frontier.size : checkpoint.size])
        if frontier.size < checkpoint.size:
            raise _Fault("the file of hashes is too short for its checkpoints", checkpoint.size)
        if frontier.root != checkpoint.root:
            raise _Fault("the file of hashes does not fit its checkpoint", checkpoint.size)
    return hashes
