"""Verification of a log against its seals: events and hashes are read once, of streams the last is kept."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from struct import error as StructError  # noqa: N812 - it is a class

from ops.tamper_evidence.checkpoints import Checkpoint, may_be_of
from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.merkle_tree import Frontier
from ops.tamper_evidence.sealed_log import HASH_BYTES, BadSeals, SealedLog
from ops.tamper_evidence.signed_notes import VerifyingKey
from ops.tamper_evidence.stream_tree import StreamHead, StreamTree


@dataclass(frozen=True)
class Verdict:
    """The result of a verification.

    Attributes:
        sealed: size of the last checkpoint.
        events: the number of events; None after a fault.
        fault: the first mismatch; None: the log matches its seals.
        position: place of the fault, if it is known.
        unsealed_since: time of the first event after the last checkpoint.
    """

    sealed: int
    events: int | None
    fault: str | None = None
    position: int | None = None
    unsealed_since: datetime | None = None


class Verification:
    """Recomputes the tree of a log's events, and compares it with the checkpoints.

    Only the checkpoints decide whether something was changed; the file of hashes locates the event.

    Attributes:
        checkpoints: the checkpoints, the smallest first; empty if they are not consistent.
        fault: the first mismatch; then verification needs no further events.
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
            kept: checkpoints from witnesses or files, which the seals must contain.
        """
        self._seals = seals
        self.checkpoints: Sequence[Checkpoint] = ()
        self._hashes: Iterator[bytes] = iter(())
        self._frontier = Frontier()
        self._streams = StreamTree()
        self._compared = 0
        self._events = 0
        self._differs: int | None = None
        self._unsealed_since: datetime | None = None
        self.fault: BadSeals | None = None
        try:
            self.checkpoints = _checkpoints(seals, key, origin, former or {}, kept)
            self._hashes = seals.hashes(up_to=self._sealed)
            while self._compared < len(self.checkpoints) and not self.checkpoints[self._compared].size:
                self._compare(self.checkpoints[self._compared])
                self._compared += 1
        except BadSeals as fault:
            self.fault = fault

    def add(self, rows: Iterable[LogRow]) -> None:
        """Add the next events, in the order of the log."""
        try:
            for row in rows:
                if self.fault is not None:
                    return
                self._add(row)
        except BadSeals as fault:
            self.fault = fault

    def verdict(self) -> Verdict:
        """Return the result, after the last event."""
        if self.fault is None and self._events < self._sealed:
            self.fault = self._first_of("the log ends before its last seal", self._events + 1)
        if self.fault is not None:
            return Verdict(self._sealed, None, str(self.fault), self.fault.position)
        return Verdict(self._sealed, self._events, unsealed_since=self._unsealed_since)

    @property
    def _sealed(self) -> int:
        return self.checkpoints[-1].size if self.checkpoints else 0

    def _add(self, row: LogRow) -> None:
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
        with suppress(StructError, AttributeError):  # the seal does not match a malformed row
            self._streams.update([StreamHead(row.originator_id, row.originator_version, row.position)])
        if position == self.checkpoints[self._compared].size:
            self._compare(self.checkpoints[self._compared])
            self._compared += 1

    def _compare(self, checkpoint: Checkpoint) -> None:
        if self._frontier.root == checkpoint.root:
            if self._differs is not None:
                raise BadSeals("the file of hashes does not match its seal", self._differs)
            if checkpoint.streams and self._streams.root != checkpoint.streams:
                raise BadSeals("the last events of streams do not match their seal", checkpoint.size)
        elif self._differs is not None and self._hashes_fit(checkpoint):
            raise BadSeals("an event does not match its seal", self._differs)
        else:
            first = checkpoint.previous + 1
            raise BadSeals(
                f"an event does not match its seal, nor does its hash: one of {first} to {checkpoint.size},"
                " which begin",
                first,
            )

    def _first_of(self, fault: str, position: int) -> BadSeals:
        """Return an earlier difference of hashes that a checkpoint confirms, or else the fault."""
        if self._differs is not None and self._hashes_fit(self.checkpoints[self._compared]):
            return BadSeals("an event does not match its seal", self._differs)
        return BadSeals(fault, position)

    def _hashes_fit(self, checkpoint: Checkpoint) -> bool:
        frontier = Frontier()
        frontier.extend(self._seals.hashes(up_to=checkpoint.size))
        return (frontier.size, frontier.root) == (checkpoint.size, checkpoint.root)


def _checkpoints(
    seals: SealedLog, key: VerifyingKey, origin: str, former: Mapping[str, int], kept: Sequence[Checkpoint]
) -> list[Checkpoint]:
    """Return the checkpoints after checking that they form a chain."""
    # The file's size first: hashes are written last, so a concurrent seal causes no fault.
    hash_bytes = seals.hash_bytes
    checkpoints = list(seals.checkpoints(key))
    # Checkpoints that a restart of sealing has voided are listed, and may be another log's.
    kept = [one for one in kept if not any(last.explains(one) for last in checkpoints[-1:])]
    for checkpoint in (*checkpoints, *kept):
        if not may_be_of(checkpoint, origin, former):
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
        if checkpoint.restarts[: len(before.restarts)] != before.restarts:
            raise BadSeals("a checkpoint hides a restart of sealing", checkpoint.size)


def _hash_of(row: LogRow) -> bytes:
    """Return an event's hash; empty, which matches no hash, if the row is malformed."""
    try:
        return row.hash()
    except (TypeError, ValueError, AttributeError):
        return b""
