"""Holding a log against its seals, in constant memory: events and hashes are read once, side by side."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from ops.tamper_evidence.checkpoints import Checkpoint, may_bear
from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.merkle_tree import Frontier
from ops.tamper_evidence.sealed_log import HASH_BYTES, BadSeals, SealedLog
from ops.tamper_evidence.signed_notes import VerifyingKey


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
    unsealed_since: datetime | None = None
    """Moment of the first event that waits for its checkpoint."""


class Verification:
    """Recomputes the tree of a log's events, as they are read, and holds it against the checkpoints.

    Only the checkpoints decide whether something has changed; the file of hashes tells which event it was.
    """

    def __init__(
        self,
        seals: SealedLog,
        key: VerifyingKey,
        *,
        origin: str,
        former: Mapping[str, int] | None = None,
        kept: Sequence[Checkpoint] = (),
    ) -> None:
        """Read the checkpoints.

        Args:
            seals: the log's.
            key: the one that they must be signed with.
            origin: the name that they must bear.
            former: names that they may bear up to a position: see `may_bear`.
            kept: checkpoints that were kept elsewhere; these seals must have them.
        """
        self._seals = seals
        self._checkpoints: Sequence[Checkpoint] = ()
        self._hashes: Iterator[bytes] = iter(())
        self._frontier = Frontier()
        self._held = 0
        self._events = 0
        self._differs: int | None = None
        self._unsealed_since: datetime | None = None
        self._fault: BadSeals | None = None
        try:
            self._checkpoints = _checkpoints(seals, key, origin, former or {}, kept)
            self._hashes = seals.hashes(up_to=self._sealed)
            while self._held < len(self._checkpoints) and not self._checkpoints[self._held].size:
                self._hold_against(self._checkpoints[self._held])
                self._held += 1
        except BadSeals as fault:
            self._fault = fault

    @property
    def checkpoints(self) -> Sequence[Checkpoint]:
        """The log's, the smallest first; none where they do not fit together."""
        return self._checkpoints

    @property
    def found_fault(self) -> bool:
        """Whether something does not fit, so that reading on is no use."""
        return self._fault is not None

    def take(self, rows: Iterable[LogRow]) -> None:
        """Take the log's next events, in its order."""
        try:
            for row in rows:
                if self._fault is not None:
                    return
                self._take(row)
        except BadSeals as fault:
            self._fault = fault

    def verdict(self) -> Verdict:
        """Return what came of it, after the last event."""
        if self._fault is None and self._events < self._sealed:
            self._fault = self._first_of("the log ends before what was sealed", self._events + 1)
        if self._fault is not None:
            return Verdict(self._sealed, None, str(self._fault), self._fault.position)
        return Verdict(self._sealed, self._events, unsealed_since=self._unsealed_since)

    @property
    def _sealed(self) -> int:
        return self._checkpoints[-1].size if self._checkpoints else 0

    def _take(self, row: LogRow) -> None:
        position = self._events + 1
        if row.position > position:
            raise self._first_of("an event is missing", position)
        if row.position < position:
            raise self._first_of("an event stands there twice or out of place", row.position)
        self._events = position
        if position > self._sealed:
            self._unsealed_since = self._unsealed_since or row.moment
            return
        event_hash = _hash_of(row)
        if event_hash != next(self._hashes, None) and self._differs is None:
            self._differs = position
        self._frontier.append(event_hash)
        if position == self._checkpoints[self._held].size:
            self._hold_against(self._checkpoints[self._held])
            self._held += 1

    def _hold_against(self, checkpoint: Checkpoint) -> None:
        if self._frontier.root == checkpoint.root:
            if self._differs is not None:
                raise BadSeals("the file of hashes is not what was sealed", self._differs)
        elif self._differs is not None and self._hashes_fit(checkpoint):
            raise BadSeals("an event is not what was sealed", self._differs)
        else:
            first = checkpoint.previous + 1
            raise BadSeals(
                f"an event is not what was sealed, nor is its hash: one of {first} to {checkpoint.size},"
                " which begin",
                first,
            )

    def _first_of(self, fault: str, position: int) -> BadSeals:
        """Return a fault, or the one before it for which no checkpoint has come yet."""
        if self._differs is not None and self._hashes_fit(self._checkpoints[self._held]):
            return BadSeals("an event is not what was sealed", self._differs)
        return BadSeals(fault, position)

    def _hashes_fit(self, checkpoint: Checkpoint) -> bool:
        frontier = Frontier()
        frontier.extend(self._seals.hashes(up_to=checkpoint.size))
        return (frontier.size, frontier.root) == (checkpoint.size, checkpoint.root)


def _checkpoints(
    seals: SealedLog, key: VerifyingKey, origin: str, former: Mapping[str, int], kept: Sequence[Checkpoint]
) -> list[Checkpoint]:
    """Return the checkpoints, of which each must follow the one before."""
    # First the file's length: hashes are written last, so a seal that comes meanwhile does no harm.
    hash_bytes = seals.hash_bytes
    checkpoints = list(seals.checkpoints(key))
    # What was given up when sealing was begun anew is told of, and may be another log's.
    kept = [one for one in kept if not any(last.explains(one) for last in checkpoints[-1:])]
    for checkpoint in (*checkpoints, *kept):
        if not may_bear(checkpoint, origin, former):
            raise BadSeals("a checkpoint is another log's", checkpoint.size)
    _require_chain(checkpoints)
    sealed = checkpoints[-1].size if checkpoints else 0
    if hash_bytes > sealed * HASH_BYTES:
        raise BadSeals("the checkpoint is missing for the hashes that begin", sealed + 1)
    for checkpoint in sorted(kept, key=lambda one: one.size):
        if checkpoint.of_log not in {one.of_log for one in checkpoints}:
            raise BadSeals("the seals are not those of the checkpoint that was kept", checkpoint.size)
    return checkpoints


def _require_chain(checkpoints: Sequence[Checkpoint]) -> None:
    if checkpoints and checkpoints[0].previous:
        raise BadSeals("a checkpoint is missing", checkpoints[0].previous)
    for before, checkpoint in pairwise(checkpoints):
        if checkpoint.previous > before.size:
            raise BadSeals("a checkpoint is missing", checkpoint.previous)
        if checkpoint.previous < before.size:
            raise BadSeals("a checkpoint does not follow the one before", checkpoint.size)
        if checkpoint.beginnings[: len(before.beginnings)] != before.beginnings:
            raise BadSeals("a checkpoint hides that sealing was begun anew", checkpoint.size)


def _hash_of(row: LogRow) -> bytes:
    """Return an event's hash; what no event can be like has one that no event has."""
    try:
        return row.hash()
    except (TypeError, ValueError, AttributeError):
        return b""
